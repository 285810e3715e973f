import { WebhookError } from './errors.ts'

const TOLERANCE_SECONDS = 300
const PREFIX = 'whsec_'

type HeaderSource = Headers | Record<string, string | string[] | undefined>

const valueOf = (headers: HeaderSource, name: string): string | undefined => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : undefined
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), character => character.charCodeAt(0))

/** HMAC-SHA-256 of a message under a secret of the form `whsec_...` (base64), or any other text. */
const keyOf = (secret: string) =>
  crypto.subtle.importKey('raw', secretBytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])

/** WebhookError for what cannot be a secret. It may be undefined: callers read it from the environment. */
function secretBytesOf(secret: string | undefined): Uint8Array<ArrayBuffer> {
  if (!secret) throw new WebhookError('The secret is missing: pass the one that setting the webhook returned')
  if (!secret.startsWith(PREFIX)) return new TextEncoder().encode(secret)
  try {
    const bytes = bytesOf(secret.slice(PREFIX.length))
    if (bytes.length) return bytes
  } catch {
    // Not base64.
  }
  throw new WebhookError(`The secret is incomplete or mistyped: ${PREFIX} must be followed by base64`)
}

const contentOf = (id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${id}.${timestamp}.${body}`)

/**
 * The event of a webhook message (Standard Webhooks). `body` is the text as it was received, not parsed. Throws a WebhookError
 * if no signature fits the secret, if the message is older than five minutes, or if the secret is none.
 */
export async function verifyWebhook<Event = unknown>(
  body: string,
  headers: HeaderSource,
  secret: string,
): Promise<Event> {
  const id = valueOf(headers, 'webhook-id')
  const timestamp = valueOf(headers, 'webhook-timestamp')
  const signatures = valueOf(headers, 'webhook-signature')
  if (!id || !timestamp || !signatures) throw new WebhookError('The headers of the signature are missing')
  // A timestamp that is no number fails the comparison too.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new WebhookError('The message is too old, or the clock is wrong')
  const key = await keyOf(secret)
  const content = contentOf(id, timestamp, body)
  for (const signature of signatures.split(' ').slice(0, 10)) {
    const [version, value = ''] = signature.split(',')
    if (version === 'v1' && (await isSignature(key, value, content))) return JSON.parse(body) as Event
  }
  throw new WebhookError(
    'No signature fits the secret: pass the body as it was received, and the secret of this webhook',
  )
}

async function isSignature(
  key: Awaited<ReturnType<typeof keyOf>>,
  base64: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  let bytes
  try {
    bytes = bytesOf(base64)
  } catch {
    return false
  }
  return crypto.subtle.verify('HMAC', key, bytes, content)
}

/** The headers that sign a message, for tests of a receiver and for checkers. */
export async function signWebhook(
  body: string,
  {
    id,
    secret,
    timestamp = Math.floor(Date.now() / 1000),
  }: { id: string; secret: string; timestamp?: number },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signature = await crypto.subtle.sign(
    'HMAC',
    await keyOf(secret),
    contentOf(id, String(timestamp), body),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`,
  }
}
