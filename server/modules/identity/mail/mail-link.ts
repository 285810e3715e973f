import { DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import { IDENTITY } from '../errors.ts'
import { endLinks, linkOwner, makeLink, useLink } from './link.ts'
import { resetMailCount, SIGN_IN_LINK_LIFE } from './mail-limits.ts'
import type { MailPurpose } from './mail-templates.ts'
import { lockAccount } from '../account/sql.ts'
import { openChangeLink } from './sql.ts'

const LIFE: Record<MailPurpose, number> = { verify: DAY, reset: SIGN_IN_LINK_LIFE, magic: SIGN_IN_LINK_LIFE }

export interface MailLinkTarget {
  accountId: string
  to: string
  /** True: the address is not the account's yet. */
  isChange?: boolean
}

/** The token of a link of an account that is to be mailed to an address. Older ones stay valid until one is used. */
export const makeMailLink = (
  tx: Tx,
  { secrets }: Pick<Services, 'secrets'>,
  purpose: MailPurpose,
  { accountId, to, isChange }: MailLinkTarget,
): Promise<string> =>
  makeLink(tx, {
    purpose,
    accountId,
    lifeMs: LIFE[purpose],
    details: { sealed: secrets.seal(to, `link/${accountId}`), ...(isChange ? { isChange } : {}) },
  })

/** The new address that an account asked for and nobody has confirmed yet. */
export async function pendingEmailOf(
  q: Queryable,
  { clock, secrets }: Pick<Services, 'clock' | 'secrets'>,
  accountId: string,
): Promise<string | undefined> {
  const link = await q.maybe(openChangeLink(accountId, clock.real()))
  return link && secrets.open(String(link.details.sealed), `link/${accountId}`)
}

/**
 * Uses up a link that went out by mail, and with it the others of its purpose: its account, locked, and the address
 * that the mail went to. 400 when it is no good, 403 when the account is suspended.
 */
export async function useMailLink(
  tx: Tx,
  services: Services,
  purpose: MailPurpose,
  token: string,
): Promise<{ account: Account; email: string }> {
  // Lock the account before its links, like every command that ends links: changes of credentials are serialized.
  const accountId = await linkOwner(tx, purpose, token, tx.clock.real())
  const account = accountId ? await tx.maybe(lockAccount(accountId)) : undefined
  if (!account || account.status === 'DELETED') throw apiError(IDENTITY.INVALID_LINK)
  if (account.status === 'SUSPENDED')
    throw apiError(IDENTITY.ACCOUNT_SUSPENDED, {
      hint: 'This account has been suspended by an administrator',
    })
  const { details } = await useLink(tx, purpose, token)
  await endLinks(tx, account.id, purpose)
  const email = services.secrets.open(String(details.sealed), `link/${account.id}`)
  resetMailCount(tx, services, purpose, email)
  return { account, email }
}
