import type { Services } from '#platform/kernel/services'
import { accountById } from '../account/account.ts'
import type { MailPurpose } from './mail-templates.ts'
import { isMfaEnabled } from '../mfa/second-factor.ts'
import { hashOfToken } from '../credentials/session.ts'
import { anyAdmin } from '../account/sql.ts'
import { emailState } from '../account/email-sql.ts'
import { linkOf } from './sql.ts'

/** `used`: it was good once and did its work, or a later one took its place. `dead`: it ran out or never was. */
export type LinkView =
  /**
   * `isFirstProof`: a sign-in with it from elsewhere than the registrant's browser ends what the account was opened
   * with. `isChange`: the address is not the account's yet.
   */
  { state: 'good'; email: string; isFirstProof: boolean; isChange: boolean } | { state: 'used' | 'dead' }

/** What a page says of a link in a mail before anybody presses a button. It does not use the link up. */
export async function viewMailLink(
  { db, clock, secrets }: Services,
  purpose: MailPurpose,
  token: string,
): Promise<LinkView> {
  const link = await db.maybe(linkOf(hashOfToken(token), purpose))
  if (!link) return { state: 'dead' }
  if (link.usedAt) return { state: 'used' }
  const account = await accountById(db, link.accountId ?? '')
  if (!account || account.status === 'DELETED' || link.expiresAt <= clock.real()) return { state: 'dead' }
  const email = secrets.open(String(link.details.sealed), `link/${account.id}`)
  // A link to an address that the account had before is no good, but for the one that confirms a new one.
  if (purpose !== 'verify' && account.email !== email) return { state: 'dead' }
  const { isOwned, isHeld } = await db.one(emailState(account.id))
  const isChange = account.email.toLowerCase() !== email.toLowerCase()
  const isFirstProof = !isOwned && isHeld && !(await isMfaEnabled(db, account.id))
  return { state: 'good', email, isFirstProof, isChange }
}

/** Whether the link that makes the first admin would work. */
export async function isSetupLinkGood({ db, clock }: Services, token: string): Promise<boolean> {
  const link = await db.maybe(linkOf(hashOfToken(token), 'setup'))
  return link !== undefined && !link.usedAt && link.expiresAt > clock.real() && !(await db.maybe(anyAdmin()))
}
