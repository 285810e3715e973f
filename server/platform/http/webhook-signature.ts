import { createHmac, randomBytes } from 'node:crypto'
import { sameText } from '../kernel/secrets.ts'

/** The three headers of a signed message (Standard Webhooks 1.0). */
export interface SignedMessage {
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string | Buffer
}

const PREFIX = 'whsec_'

/** A new secret in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(24).toString('base64')

/** A message is refused if its timestamp differs more from the clock of the receiver. */
export const TOLERANCE_SECONDS = 300

// A secret in the form of Standard Webhooks is base64; any other text is used as it is.
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)

const signatureOf = (secret: string, { id, timestamp, body }: SignedMessage): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`

/** The headers that sign a message, with several secrets while one replaces another. */
export const signWebhook = (
  secret: string | readonly string[],
  message: SignedMessage,
): Record<string, string> => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': [secret]
    .flat()
    .map(each => signatureOf(each, message))
    .join(' '),
})

type Headers = Record<string, string | string[] | undefined>

/** Whether the headers sign `body` with `secret`, at most five minutes from `now` (seconds). Constant time. */
export function isSignedWebhook(
  secret: string,
  headers: Headers,
  body: string | Buffer,
  now: number,
): boolean {
  const id = headers['webhook-id']
  const timestamp = Number(headers['webhook-timestamp'])
  const signatures = headers['webhook-signature']
  if (typeof id !== 'string' || typeof signatures !== 'string' || !Number.isInteger(timestamp)) return false
  if (Math.abs(now - timestamp) > TOLERANCE_SECONDS) return false
  const expected = signatureOf(secret, { id, timestamp, body })
  // Several signatures are separated by spaces: one for each secret of the sender.
  return signatures
    .split(' ')
    .slice(0, 10)
    .some(signature => sameText(signature, expected))
}
