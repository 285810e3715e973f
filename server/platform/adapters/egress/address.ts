import ipaddr from 'ipaddr.js'

/** Ranges that ipaddr.js calls unicast, or that carry another address inside, and that must not be dialled. */
const DENIED = [
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/32',
  '100.64.0.0/10',
  '169.254.0.0/16',
].map(range => ipaddr.parseCIDR(range))
/** All that is global unicast in IPv6 today (RFC 4291, IANA): the rest is local or reserved. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an IP address is a public one: global unicast, and none of the ranges that lead inside. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv6' && !(address as ipaddr.IPv6).match(GLOBAL_V6)) return false
  return !DENIED.some(
    ([network, bits]) =>
      network.kind() === address.kind() &&
      address.match([network, bits] as [ipaddr.IPv4 & ipaddr.IPv6, number]),
  )
}

/** One spelling for each address, so that two can be compared; IPv4 inside IPv6 is unwrapped. */
export const canonicalAddress = (text: string): string =>
  ipaddr.isValid(text) ? ipaddr.process(text).toString() : text
