import { eraseA2aTextOf } from '#a2a'
import { eraseAffiliate } from '#affiliates'
import { agentErasure } from '#agents'
import { cancelUnfundedDealsOf, dealErasure } from '#ap2'
import { endCertificationRunsOf } from '#certification'
import { eraseFundsOf, eraseOutcomeTextOf, eraseRoutingKeysOf } from '#gateway'
import { requireStepUp, type Account, organizations, erasure } from '#identity'
import { ledgerOwners } from '#ledger'
import { eraseNotificationsOf } from '#notifications'
import { eraseMarketOf } from '#market'
import { eraseGrantsOf } from '#oauth'
import { paymentErasure } from '#payments'
import { endPayoutsOf } from '#payouts'
import { eraseRatingTextOf } from '#ratings'
import { eraseRunTextOf } from '#runs'
import { eraseLimitsOf } from '#spending'
import { eraseX402PaymentsOf } from '#x402'
import type { RequestContext } from '#platform/http/principal'
import { audit } from '#platform/kernel/audit'
import { after, MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { Timer } from '#platform/kernel/background/timers'
import { endSubscriptionOfDeletedAccount } from '#subscriptions'
import { eraseVaultOf } from '#vault'
import { walletErasure } from '#wallets'
import { deleteSecondErasure, insertSecondErasure } from './sql.ts'

/** Longer than any request takes. */
const SECOND_ERASURE = 10 * MINUTE
type Secrets = Pick<Services, 'secrets'>

/**
 * Deletes the account of the caller (ADR 7): pseudonymizes its row, revokes its credentials and erases the text that
 * its person authored; in live deals, at their end. Organizations without another member close with it.
 */
export async function deleteAccount(tx: Tx, services: Secrets, ctx: RequestContext): Promise<void> {
  const account = await erasure.lockToErase(tx, ctx.principal.accountId)
  if (account.status === 'DELETED') return
  await requireStepUp(tx, ctx, tx.clock.real())
  const { id } = account
  // Without the address and request id of the caller: they would be erased at once.
  await audit(tx, { by: ['account', id] }, 'account.deleted', { target: ['account', id] })
  await erase(tx, services, account)
  await tx.run(insertSecondErasure(id, after(tx.now, SECOND_ERASURE)))
}

/** Timer: erases what requests that were under way during the deletion have written since. */
export const secondErasure = (services: Secrets): Timer => ({
  name: 'second erasure',
  table: 'onboarding_second_erasure',
  column: 'due_at',
  where: part`true`,
  async run(tx, accountId) {
    await erase(tx, services, await erasure.lockToErase(tx, accountId))
    await tx.run(deleteSecondErasure(accountId))
  },
})

/** Calls the modules in the global lock order; identity comes last because the others still need the account. */
async function erase(tx: Tx, services: Secrets, account: Account): Promise<void> {
  const { id } = account
  const owners = [id, ...(await organizations.lockClosingOrganizations(tx, id))]
  await eraseMarketOf(tx, id)
  await cancelUnfundedDealsOf(tx, owners)
  await dealErasure.eraseDealTextOf(tx, owners)
  await eraseRunTextOf(tx, owners)
  await dealErasure.eraseReasonsOf(tx, id)
  await eraseRatingTextOf(tx, id)
  await endCertificationRunsOf(tx, id)
  await eraseA2aTextOf(tx, id)
  await paymentErasure.erasePaymentsOf(tx, id)
  await eraseX402PaymentsOf(tx, id)
  const agentIds = await agentErasure.agentIdsOf(tx, id)
  // The agents before their endpoints, like the transaction that writes events and their deliveries.
  await agentErasure.eraseAgentsOf(tx, id)
  await eraseNotificationsOf(tx, id, { agentIds, partyIds: owners })
  await eraseLimitsOf(tx, id)
  await eraseVaultOf(tx, id)
  await eraseGrantsOf(tx, id)
  await eraseOutcomeTextOf(tx, id)
  await endPayoutsOf(tx, owners)
  await endSubscriptionOfDeletedAccount(tx, id)
  await eraseAffiliate(tx, id)
  await eraseFundsOf(tx, id)
  await eraseRoutingKeysOf(tx, id)
  await walletErasure.closeWalletsOf(tx, owners)
  await ledgerOwners.eraseMemosBy(tx, id)
  await organizations.leaveOrganizations(tx, id)
  await erasure.eraseAccount(tx, services, account)
}

/**
 * Closes an organization for good. Errors: 403 without step-up or unless the caller is its OWNER, 409 while it has
 * another member or money.
 */
export async function closeOwnOrganization(
  tx: Tx,
  ctx: RequestContext,
  { slug }: { slug: string },
): Promise<void> {
  const id = await organizations.lockOrganizationToClose(tx, ctx, slug)
  await cancelUnfundedDealsOf(tx, [id], 'organization')
  await dealErasure.eraseDealTextOf(tx, [id])
  await eraseRunTextOf(tx, [id])
  // After the deals, which are locked before ledger accounts.
  await walletErasure.requireEmptyWallets(tx, id)
  await endPayoutsOf(tx, [id])
  await walletErasure.closeWalletsOf(tx, [id])
  await organizations.closeOrganization(tx, ctx, id)
}
