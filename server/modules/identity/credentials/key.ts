import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DAY } from '#platform/kernel/clock'

export type KeyKind = 'sk' | 'sa' | 'rk'

/** Grace period of a rotated key, in business time. */
export const KEY_GRACE = DAY

export interface NewKey {
  text: string
  hash: Buffer
  lastFour: string
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY = 30
const CHECK = 6
const FORM = new RegExp(`^(?:sk|sa|rk)_[0-9A-Za-z]{${BODY + CHECK}}$`)

/**
 * A fresh key: prefix, 30 random base62 characters (178 bits), 6 of checksum. Its text is shown once and stored
 * nowhere.
 */
export function makeKey(kind: KeyKind): NewKey {
  const body = `${kind}_${randomBase62(BODY)}`
  const text = body + checksum(body)
  return { text, hash: hashOfKey(text), lastFour: text.slice(-4) }
}

/** Whether a text can be a key at all: form and checksum. What is none never reaches the database. */
export const isWellFormedKey = (text: string): boolean =>
  FORM.test(text) && checksum(text.slice(0, -CHECK)) === text.slice(-CHECK)

// A key holds 178 random bits, so a plain hash cannot be searched.
export const hashOfKey = (text: string): Buffer => hash('sha256', text, 'buffer')

function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    // Bytes from 248 on would favor the first characters.
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < CHECK; place++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
