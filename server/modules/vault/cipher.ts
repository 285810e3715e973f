import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Of the content, in each chunk but the last. */
export const CHUNK_BYTES = 1024 * 1024

/** The place of a chunk, which its tag covers: chunks cannot be exchanged, repeated or left out at the end. */
export interface Place {
  artifactId: string
  number: number
  isLast: boolean
}

const placeOf = ({ artifactId, number, isLast }: Place): Buffer =>
  Buffer.from(`vault/${artifactId}/${number}/${isLast ? 'last' : 'more'}`)

// A data key seals one artifact, and each number once, so no nonce repeats.
function nonceOf({ number }: Place): Buffer {
  const nonce = Buffer.alloc(IV_BYTES)
  nonce.writeUInt32BE(number, IV_BYTES - 4)
  return nonce
}

export function sealChunk(key: Buffer, place: Place, plain: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonceOf(place)).setAAD(placeOf(place))
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws for content that was changed or belongs to another place. */
export function openChunk(key: Buffer, place: Place, sealed: Buffer): Buffer {
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, nonceOf(place)).setAAD(placeOf(place))
  decipher.setAuthTag(sealed.subarray(end))
  return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()])
}

/** A data key of an artifact, wrapped by a master key. */
export function wrapKey(master: Buffer, key: Buffer, artifactId: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, master, iv).setAAD(Buffer.from(`vault/key/${artifactId}`))
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()])
}

export function unwrapKey(master: Buffer, wrapped: Buffer, artifactId: string): Buffer {
  const end = wrapped.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, master, wrapped.subarray(0, IV_BYTES))
  decipher.setAAD(Buffer.from(`vault/key/${artifactId}`)).setAuthTag(wrapped.subarray(end))
  return Buffer.concat([decipher.update(wrapped.subarray(IV_BYTES, end)), decipher.final()])
}
