import { DAY } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'

/** How long a reader may rely on a copy. Every day moves it on: who runs the service answers for the settings. */
const VALID_DAYS = 90

/** `/.well-known/security.txt` (RFC 9116): how to report a weakness to the operator. Null while no contact is set. */
export function securityText({ config, publicUrl, clock }: Services): string | null {
  const { SECURITY_CONTACT: contacts, SECURITY_POLICY_URL: policy } = config
  if (!contacts.length) return null
  const today = Math.floor(clock.real().getTime() / DAY) * DAY
  const lines = [
    ...contacts.map(contact => `Contact: ${contact}`),
    `Expires: ${new Date(today + VALID_DAYS * DAY).toISOString().replace('.000', '')}`,
    ...(policy ? [`Policy: ${policy}`] : []),
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
  ]
  return `${lines.join('\n')}\n`
}
