import { createHmac, timingSafeEqual } from 'node:crypto'
import { apiError, invalid } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { isRecord } from '#platform/kernel/unknown'
import { OAUTH } from './errors.ts'

type Parts = Pick<Services, 'secrets'>

/** What a client says of itself; nobody has checked it. */
export interface Client {
  name: string
  redirectUris: readonly string[]
}

const VERSION = 'c1'
/** Of all redirect addresses together: the id holds them, and has to fit into an address. */
const LONGEST_URIS = 2000
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/
/** Addresses of these schemes run code, or reach files. */
const DANGEROUS = /^(?:javascript|data|vbscript|file|blob|about|ws|wss|ftp):$/

/**
 * A client id that holds what the client registered, signed: registration (RFC 7591) is open to everybody, and fills no
 * table. 400 for a redirect address that would give the code away.
 */
export function registerClient({ secrets }: Parts, { name, redirectUris }: Client): string {
  if (redirectUris.join('').length > LONGEST_URIS)
    throw invalid(`redirect_uris must have at most ${LONGEST_URIS} characters in all`)
  for (const uri of redirectUris)
    if (!isSafeRedirect(uri))
      throw invalid('redirect_uris must be https, http on this machine, or of a scheme of an application')
  const body = Buffer.from(JSON.stringify({ n: name, r: redirectUris })).toString('base64url')
  return `${VERSION}.${body}.${signatureOf(secrets, body).toString('base64url')}`
}

/** 400 UNKNOWN_CLIENT for an id that this service has not issued. */
export function readClient({ secrets }: Parts, clientId: string): Client {
  const [version, body = '', signature = ''] = clientId.split('.')
  const expected = signatureOf(secrets, body)
  const given = Buffer.from(signature, 'base64url')
  if (version !== VERSION || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw apiError(OAUTH.UNKNOWN_CLIENT, { hint: 'Register the client with POST /oauth/register' })
  const held: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
  const { n, r } = isRecord(held) ? held : {}
  return { name: String(n), redirectUris: Array.isArray(r) ? r.map(String) : [] }
}

const signatureOf = (secrets: Services['secrets'], body: string): Buffer =>
  createHmac('sha256', secrets.derive('oauth/client')).update(body).digest().subarray(0, 16)

/** 400 if the client has not registered the address. A program on the person's machine may use any port (RFC 8252). */
export function requireRedirect(client: Client, uri: string): void {
  if (!client.redirectUris.some(known => known === uri || withoutPort(known) === withoutPort(uri)))
    throw apiError(OAUTH.REDIRECT_NOT_REGISTERED)
}

function withoutPort(uri: string): string {
  const url = URL.parse(uri)
  if (!url) return uri
  if (url.protocol === 'http:' && LOOPBACK.test(url.hostname)) url.port = ''
  return url.href
}

function isSafeRedirect(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname, hash, username } = new URL(uri)
  if (hash || username || DANGEROUS.test(protocol)) return false
  if (protocol === 'http:') return LOOPBACK.test(hostname)
  return protocol === 'https:' || uri.startsWith(`${protocol}//`) || protocol.includes('.')
}
