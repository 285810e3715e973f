import { createHmac, randomInt } from 'node:crypto'
import type { Secrets } from '#platform/kernel/secrets'

/** Crockford's base 32: no I, L, O and U, which people mistake for other characters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM = 14
const FORM = new RegExp(`^[${ALPHABET}]{${RANDOM + 2}}$`)
/** The largest prime below 32 * 32: any wrong character and any two that are swapped change the remainder. */
const MODULUS = 1021

export interface VoucherCode {
  /** Groups of four characters, as people read and type it. */
  text: string
  hash: Buffer
  /** The first group. It identifies the voucher in a list and reveals 20 of the 70 random bits. */
  prefix: string
}

/** A new code: 70 random bits and a checksum of two characters. Its text is shown once and stored nowhere. */
export function makeCode(secrets: Secrets): VoucherCode {
  const body = Array.from({ length: RANDOM }, () => ALPHABET[randomInt(32)]).join('')
  const plain = body + checksum(body)
  const text = plain.replace(/(.{4})(?=.)/g, '$1-')
  return { text, hash: hashOf(secrets, plain), prefix: plain.slice(0, 4) }
}

/**
 * The hash of a code as a person types it: in any case, with or without separators, with I or L for 1 and O for 0.
 * Undefined for a text that cannot be a code. The hash is keyed, so that a copy of the database reveals no code.
 */
export function codeHashOf(secrets: Secrets, text: string): Buffer | undefined {
  const plain = text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0')
  const isWellFormed = FORM.test(plain) && checksum(plain.slice(0, RANDOM)) === plain.slice(RANDOM)
  return isWellFormed ? hashOf(secrets, plain) : undefined
}

const hashOf = (secrets: Secrets, plain: string): Buffer =>
  createHmac('sha256', secrets.derive('wallets/voucher-code')).update(plain).digest()

function checksum(body: string): string {
  let rest = 0
  for (const character of body) rest = (rest * 32 + ALPHABET.indexOf(character)) % MODULUS
  return `${ALPHABET[rest >> 5]}${ALPHABET[rest & 31]}`
}
