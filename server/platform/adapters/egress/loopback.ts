import ipaddr from 'ipaddr.js'
import type { HttpRequest } from '../../http/operation.ts'

export const isLoopback = (ip: string): boolean =>
  ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'

/** True if the client runs on this machine. Forwarded requests do not count unless the proxy is trusted to name the client. */
export function isLocalClient({ ip, ips, headers }: Pick<HttpRequest, 'ip' | 'ips' | 'headers'>): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return isLoopback(ip) && (ips !== undefined || !isForwarded)
}
