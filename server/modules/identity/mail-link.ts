import { DAY, MINUTE } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { sendMail } from '#platform/mail'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import { IDENTITY } from './faults.ts'
import { linkOwner, makeLink, useLink } from './link.ts'
import { linkMail, type MailPurpose } from './mail-templates.ts'
import { lockAccount } from './sql/accounts.ts'

const LIFE: Record<MailPurpose, number> = { verify: DAY, reset: 10 * MINUTE, magic: 10 * MINUTE }

type Sending = Pick<Services, 'jobs' | 'secrets' | 'publicUrl'>

/** Mails `to` a link of an account; it ends the account's older links of that purpose. */
export async function sendLink(
  tx: Tx,
  services: Sending,
  purpose: MailPurpose,
  { accountId, to }: { accountId: string; to: string },
): Promise<void> {
  const sealed = services.secrets.seal(to, `link/${accountId}`)
  const token = await makeLink(tx, { purpose, accountId, lifeMs: LIFE[purpose], details: { sealed } })
  await sendMail(services, tx, accountId, linkMail(purpose, services.publicUrl, { to, token }))
}

/** Asks the holder of an address, present or wished for, to confirm it: it is the account's from then on. */
export const sendVerification = (tx: Tx, services: Sending, account: { id: string; email: string }): Promise<void> =>
  sendLink(tx, services, 'verify', { accountId: account.id, to: account.email })

/**
 * Uses up a link that went out by mail: its account, locked, and the address that the mail went to. 400 when it is no
 * good, 403 when the account is suspended.
 */
export async function useMailLink(
  tx: Tx,
  { secrets }: Pick<Services, 'secrets'>,
  purpose: MailPurpose,
  token: string,
): Promise<{ account: Account; email: string }> {
  // The account before its links, as every act that ends links does: what changes a credential comes before or after.
  const accountId = await linkOwner(tx, purpose, token, tx.clock.real())
  const account = accountId ? await tx.maybe(lockAccount(accountId)) : undefined
  if (!account || account.status === 'DELETED') throw fault(IDENTITY.INVALID_LINK)
  if (account.status === 'SUSPENDED')
    throw fault(IDENTITY.ACCOUNT_SUSPENDED, { hint: 'an administrator suspended this account' })
  const { details } = await useLink(tx, purpose, token)
  return { account, email: secrets.open(String(details.sealed), `link/${account.id}`) }
}
