import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { SUBSCRIPTIONS } from './errors.ts'
import { endSubscription } from './payment.ts'
import { returnRest } from './recognition.ts'
import * as statements from './sql.ts'
import type { Subscription } from './sql.ts'
import { subscriptionView } from './view.ts'

/**
 * Cancels the subscription of the caller: a paid period at its end, or at once with the rest back to the wallet. What is
 * not paid ends at once. 404 without a subscription.
 */
export async function cancelSubscription(
  tx: Tx,
  { principal: { accountId } }: RequestContext,
  { immediately = false }: { immediately?: boolean },
) {
  await tx.run(statements.lockAccount(accountId))
  const subscription = await tx.maybe(statements.lockLiveSubscription(accountId))
  if (!subscription) throw apiError(SUBSCRIPTIONS.SUBSCRIPTION_NOT_FOUND, { hint: 'You have the plan Free' })
  if (subscription.status === 'ACTIVE' && !immediately)
    await tx.run(statements.setCancelsAtPeriodEnd(subscription.id, true))
  else await cancelAtOnce(tx, subscription)
  return subscriptionView(tx, accountId)
}

async function cancelAtOnce(tx: Tx, subscription: Subscription): Promise<void> {
  const invoice = await tx.one(statements.lastInvoice(subscription.id))
  if (subscription.status === 'ACTIVE') await returnRest(tx, { subscription, invoice })
  const actorId = subscription.accountId
  await endSubscription(tx, subscription, { event: 'cancel', by: 'owner', actorId })
}

/** Ends the subscription of an account that is being deleted, and erases its payment methods. */
export async function endSubscriptionOfDeletedAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.run(statements.lockAccount(accountId))
  const subscription = await tx.maybe(statements.lockLiveSubscription(accountId))
  if (subscription) await cancelAtOnce(tx, subscription)
  await tx.run(statements.erasePaymentMethods(accountId))
}
