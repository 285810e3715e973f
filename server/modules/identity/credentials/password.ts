import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { inHashingSlot, type HashingSubject } from './hashing-queue.ts'

/** OWASP's parameters for argon2id: memory in KiB, 24 ms on the machine that they were measured on. */
const OWASP_COST = { memory: 19_456, passes: 2, parallelism: 1 }
type Cost = typeof OWASP_COST
let cost: Cost = OWASP_COST
const TAG = 32
const SALT = 16

/**
 * For tests, which hash thousands of passwords: other costs in this process, or again OWASP's. No setting leads here, so
 * that no deployment can weaken its hashes.
 */
export function setHashingCost(other: Cost = OWASP_COST): void {
  cost = other
}

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

/** The PHC string of a password, such as `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export const hashPassword = (password: string, subject: HashingSubject): Promise<string> =>
  inHashingSlot(subject, async () => {
    const salt = randomBytes(SALT)
    const hash = await tagOf(password, salt, cost)
    return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(hash)}`
  })

interface Parsed {
  cost: Cost
  salt: Buffer
  hash: Buffer
}

/** Whether the password fits; call it within `inHashingSlot`. Without a hash it does the same work and says no. */
export async function passwordFits(password: string, phc: string | null): Promise<boolean> {
  const parsed = phc ? parse(phc) : undefined
  const { cost: known, salt, hash } = parsed ?? { cost, ...DUMMY }
  const fits = timingSafeEqual(await tagOf(password, salt, known), hash)
  return fits && parsed !== undefined
}

/** Whether a hash was made with other costs than today's, so that the next sign-in makes a new one. */
export const needsRehash = (phc: string): boolean => {
  const known = parse(phc)?.cost
  return (
    known?.memory !== cost.memory || known.passes !== cost.passes || known.parallelism !== cost.parallelism
  )
}

const DUMMY = { salt: randomBytes(SALT), hash: randomBytes(TAG) }

// NFKC: the same password typed on another keyboard is the same bytes (NIST SP 800-63B).
const tagOf = (password: string, salt: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> =>
  derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    tagLength: TAG,
    memory,
    passes,
    parallelism,
  })

/** The bare argon2id tag of a text at today's costs; call it within `inHashingSlot`. */
export const derivedTag = (text: string, salt: Buffer): Promise<Buffer> => tagOf(text, salt, cost)

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

function parse(phc: string): Parsed | undefined {
  const [, memory, passes, parallelism, salt = '', hash = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(phc) ?? []
  if (!memory) return undefined
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
