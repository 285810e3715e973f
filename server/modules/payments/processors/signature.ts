import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far a notification's timestamp may be from real time, either way. */
const TOLERANCE_SECONDS = 300

const digest = (payload: Buffer | string, secret: string, seconds: number): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.`).update(payload).digest()

/** The signature header of a notification: Stripe's scheme, `t=<unix seconds>,v1=<HMAC-SHA256 of "t.body">`. */
export const signatureHeader = (payload: Buffer | string, secret: string, at: Date): string => {
  const seconds = Math.floor(at.getTime() / 1000)
  return `t=${seconds},v1=${digest(payload, secret, seconds).toString('hex')}`
}

/**
 * Why a signature is no good, or null when it is. Any of our secrets counts, and several `v1` may stand side by side
 * while a secret is rotated.
 */
export function signatureError(
  header: string | undefined,
  payload: Buffer,
  secrets: readonly string[],
  now: Date,
): string | null {
  const parts = (header ?? '').split(',').map(part => part.trim().split('='))
  const stamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  const signatures = parts
    .filter(([name]) => name === 'v1')
    .map(([, value = '']) => Buffer.from(value, 'hex'))
  if (!/^\d{1,12}$/.test(stamp) || !signatures.length) return 'the header must be t=<unix seconds>,v1=<hex>'
  const expected = secrets.map(secret => digest(payload, secret, Number(stamp)))
  if (!signatures.some(given => expected.some(each => isSame(given, each))))
    return 'it does not match this body and secret'
  if (Math.abs(now.getTime() / 1000 - Number(stamp)) > TOLERANCE_SECONDS)
    return `its timestamp is more than ${TOLERANCE_SECONDS} s from now`
  return null
}

const isSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
