import { attribute, audit, type Author } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import type { PublicContext } from '#platform/http/principal'
import { publish } from '#platform/kernel/events'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import * as statements from '../account/email-sql.ts'
import { revokeKeys } from '../credentials/key-lifecycle.ts'
import { endSessions, sessionOf } from '../credentials/session.ts'
import { accountClaimed } from '../events.ts'
import { endLinks } from '../mail/link.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { isMfaEnabled } from '../mfa/second-factor.ts'
import { deleteMfa } from '../mfa/sql.ts'

interface AddressProof {
  /** Locked by the caller. */
  account: Account
  by: 'mail_link' | 'identity_provider'
}

/**
 * Confirms the address of an account after somebody proved to hold it, and returns the account. Anybody may register an
 * address: until its holder is known to hold the account, all credentials of the registrant are revoked, unless the
 * registrant is signed in here (docs/adr/0008). Null, and nothing changes, if a second factor guards such an account: its
 * holder is the owner, and the address alone opens nothing.
 */
export async function proveAddress(
  tx: Tx,
  ctx: PublicContext,
  { account, by }: AddressProof,
  services: Services,
): Promise<Account | null> {
  const { isOwned, isHeld } = await tx.one(statements.emailState(account.id))
  if (isOwned) return account
  if (await isMfaEnabled(tx, account.id)) return null
  const isRegistrant = sessionOf(ctx, account.id) !== null
  if (isHeld && !isRegistrant) await revokeRegistrantAccess(tx, ctx, { account, by }, services)
  const times = { real: tx.clock.real(), now: tx.now }
  return tx.one(statements.confirmEmail(account.id, { email: account.email, isOwner: true, ...times }))
}

const CLAIMED =
  'You proved that this address is yours. The account of it had been made by somebody who had not: its password, ' +
  'sign-ins and keys work no more. Make new keys where you need them.'

async function revokeRegistrantAccess(
  tx: Tx,
  ctx: PublicContext,
  { account, by }: AddressProof,
  services: Services,
): Promise<void> {
  const author = attribute(ctx, by, account.id)
  await revokeAllCredentials(tx, author, account.id)
  await audit(tx, author, 'account.claimed_by_address', { target: ['account', account.id] })
  await notifyOwner(tx, services, account, CLAIMED)
}

/** Revokes sessions, links, keys, password, second factor and external identities: only the mail address is left. */
export async function revokeAllCredentials(tx: Tx, author: Author, accountId: string): Promise<void> {
  // The sessions first: what one of them is making has then been made, and ends with the rest.
  await endSessions(tx, accountId, 'claimed')
  const agents = await tx.rows(statements.agentsWithKeys(accountId))
  await endLinks(tx, accountId)
  await revokeKeys(tx, author, { accountId })
  await tx.run(deleteMfa(accountId))
  for (const statement of statements.deleteSignInMethods(accountId, tx.now)) await tx.run(statement)
  await publish(tx, accountClaimed, { accountId, agentIds: agents.map(({ agentId }) => agentId) })
}
