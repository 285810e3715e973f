import { createHmac } from 'node:crypto'
import { HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { networkOf } from '#platform/http/limits/limits'
import type { Services } from '#platform/kernel/services'

/** `confirm` goes to an address that an account was made with or wishes for, `verify` is the same asked for again. */
export type MailKind = 'confirm' | 'verify' | 'reset' | 'magic' | 'notice' | 'invitation'

export const SIGN_IN_LINK_LIFE = 10 * MINUTE

/**
 * How many mails of a kind an address gets in which time, whoever asks. Those that anybody may ask for count in a
 * window no longer than the lifetime of the links: while a further mail is refused, a link of the window still works, so that
 * nobody keeps the owner out by asking in the owner's name.
 */
const AT_MOST: Record<MailKind, { mails: number; in: number }> = {
  confirm: { mails: 5, in: HOUR },
  verify: { mails: 3, in: SIGN_IN_LINK_LIFE },
  reset: { mails: 3, in: SIGN_IN_LINK_LIFE },
  magic: { mails: 3, in: SIGN_IN_LINK_LIFE },
  notice: { mails: 20, in: HOUR },
  invitation: { mails: 5, in: HOUR },
}
/** In production mode only: in a trial everybody comes from one address. */
const PER_IP = 60

/** A keyed hash, which counts and finds without naming anybody. */
export const fingerprintOf = (secrets: Services['secrets'], text: string): string =>
  createHmac('sha256', secrets.derive('identity/mail')).update(text.toLowerCase()).digest('base64url')

const keyOf = (secrets: Services['secrets'], kind: MailKind, to: string) =>
  `mail:${kind}:${fingerprintOf(secrets, to)}`

/** Counts a mail to an address; false beyond what the address gets, or what may be asked for from `ip`. */
export async function mayMail(
  { limits, secrets, config }: Services,
  { kind, to, ip }: { kind: MailKind; to: string; ip?: string },
): Promise<boolean> {
  // Check the per-IP limit first, so that a throttled client cannot exhaust the per-address limit.
  if (
    ip &&
    !config.sandbox &&
    !(await limits.take(`mail-ip:${networkOf(ip)}`, PER_IP, HOUR / SECOND)).allowed
  )
    return false
  const { mails, in: window } = AT_MOST[kind]
  return (await limits.take(keyOf(secrets, kind, to), mails, window / SECOND)).allowed
}

/** After the commit an address may get mails of a kind anew: its holder has just used one. */
export const resetMailCount = (
  tx: Tx,
  { limits, secrets, log }: Services,
  kind: MailKind,
  to: string,
): void =>
  tx.afterCommit(() => {
    limits
      .reset(keyOf(secrets, kind, to))
      .catch((error: unknown) => log.warn({ err: error }, 'a mail count stays'))
  })
