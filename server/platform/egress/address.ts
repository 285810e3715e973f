import ipaddr from 'ipaddr.js'

/** Ranges that ipaddr.js calls unicast, or that carry another address inside, and that must not be dialled. */
const DENIED = ['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '100.64.0.0/10', '169.254.0.0/16'].map(range => ipaddr.parseCIDR(range))

/** Whether an IP address is a public one: global unicast, and none of the ranges that lead inside. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  return !DENIED.some(([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as [ipaddr.IPv4 & ipaddr.IPv6, number]))
}
