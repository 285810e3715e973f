import { errorTable, type ErrorRow } from '#platform/kernel/errors'

export const SUBSCRIPTIONS = errorTable({
  SUBSCRIPTION_NOT_FOUND: [404, 'Subscription not found'],
  ALREADY_SUBSCRIBED: [409, 'Already subscribed'],
  SUBSCRIPTION_PAYMENT_PENDING: [409, 'Payment in progress'],
})

export const subscriptionsConstraints: Record<string, ErrorRow> = {
  subscriptions_subscription_one_live: SUBSCRIPTIONS.ALREADY_SUBSCRIBED,
}
