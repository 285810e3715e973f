import { randomBytes, randomFillSync } from 'node:crypto'
import { v7, validate } from 'uuid'

const RANDOM_BYTES = 16
/** Random bytes for many ids at once: to ask for those of one takes longer than to make the id. */
const pool = new Uint8Array(256 * RANDOM_BYTES)
let used = pool.length
let msecs = 0
let sequence = 0

/** A new id: UUIDv7, so that ids sort by the time of their creation; those of one process also within a millisecond. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, (used += RANDOM_BYTES))
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // Below its limit of 32 bits it can count on for as long as a millisecond lasts.
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1
  } else sequence++
  return v7({ random, msecs, seq: sequence })
}

/** Ids are plain strings on the wire: what is no UUID is an unknown id, never a 400. */
export const isId = (text: string): boolean => validate(text)

/** Random text for links and one-time tokens: `bytes` of entropy (16 = 128 bits) in base64url. */
export const randomToken = (bytes = 24): string => randomBytes(bytes).toString('base64url')
