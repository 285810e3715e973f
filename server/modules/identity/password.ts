import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { inHashingSlot, type HashingSubject } from './hashing-queue.ts'

/** OWASP's parameters for argon2id: memory in KiB, 24 ms on the machine that they were measured on. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG = 32
const SALT = 16

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

/** The PHC string of a password, such as `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
export const hashPassword = (password: string, subject: HashingSubject): Promise<string> =>
  inHashingSlot(subject, async () => {
    const salt = randomBytes(SALT)
    const hash = await tagOf(password, salt, COST)
    return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(salt)}$${unpadded(hash)}`
  })

interface Parsed {
  cost: typeof COST
  salt: Buffer
  hash: Buffer
}

/** Whether the password fits; call it within `inHashingSlot`. Without a hash it does the same work and says no. */
export async function passwordFits(password: string, phc: string | null): Promise<boolean> {
  const parsed = phc ? parse(phc) : undefined
  const { cost, salt, hash } = parsed ?? DUMMY
  const fits = timingSafeEqual(await tagOf(password, salt, cost), hash)
  return fits && parsed !== undefined
}

/** Whether a hash was made with other costs than today's, so that the next sign-in makes a new one. */
export const needsRehash = (phc: string): boolean => {
  const cost = parse(phc)?.cost
  return cost?.memory !== COST.memory || cost.passes !== COST.passes || cost.parallelism !== COST.parallelism
}

const DUMMY: Parsed = { cost: COST, salt: randomBytes(SALT), hash: randomBytes(TAG) }

// NFKC: the same password typed on another keyboard is the same bytes (NIST SP 800-63B).
const tagOf = (password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> =>
  derive('argon2id', { message: password.normalize('NFKC'), nonce: salt, tagLength: TAG, ...cost })

/** The bare argon2id tag of a text at today's costs; call it within `inHashingSlot`. */
export const derivedTag = (text: string, salt: Buffer): Promise<Buffer> => tagOf(text, salt, COST)

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
