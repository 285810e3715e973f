import { randomInt } from 'node:crypto'
import { inHashingSlot } from '../credentials/hashing-queue.ts'
import { derivedTag } from '../credentials/password.ts'

const COUNT = 10
const LENGTH = 10
// Crockford's base32: no letter that looks like a digit. 50 bits a code.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Ten codes of ten characters, shown once. */
export const newBackupCodes = (): string[] =>
  Array.from({ length: COUNT }, () =>
    Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  )

/** argon2id of a code with the salt of its user; null for what can be no code. */
export async function hashOfBackupCode(code: string, salt: Buffer): Promise<Buffer | null> {
  const plain = code.replaceAll(/[\s-]/g, '').toUpperCase()
  return plain.length === LENGTH
    ? inHashingSlot({ account: salt.toString('base64') }, () => derivedTag(plain, salt))
    : null
}
