import type { FastifyRequest } from 'fastify'

/** Methods that change nothing (RFC 9110, 9.2.1). */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

/**
 * Whether a request can only come from a page of this service, or from the person at the browser (ADR 22). Scripts can set
 * neither header. Browsers send `Sec-Fetch-Site` to https and localhost; elsewhere `Origin` decides, which they send with
 * each request that changes something and with each request that CORS could let a foreign page read.
 */
export function isSameOrigin(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  publicUrl: string,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isSafe(method))
  const { origin, host = '' } = headers
  if (origin === undefined) return isSafe(method)
  const { protocol, origin: own } = new URL(publicUrl)
  return [own, `${protocol}//${host.toLowerCase()}`].includes(origin.toLowerCase())
}
