import type { Machine } from '#platform/kernel/machine'

export type SubscriptionStatus = 'PENDING' | 'ACTIVE' | 'PAST_DUE' | 'CANCELLED' | 'EXPIRED'
export type SubscriptionEvent = 'pay' | 'renew' | 'fall_due' | 'cancel' | 'expire'
export type SubscriptionTrigger = 'owner' | 'processor' | 'timer'

/** An account has the paid plan in these states; PAST_DUE is the grace period. */
export const PAID_STATES: readonly SubscriptionStatus[] = ['ACTIVE', 'PAST_DUE']

export const subscriptionMachine: Machine<SubscriptionStatus, SubscriptionEvent, SubscriptionTrigger> = {
  name: 'subscription',
  table: 'subscriptions_subscription',
  states: ['PENDING', 'ACTIVE', 'PAST_DUE', 'CANCELLED', 'EXPIRED'],
  terminal: ['CANCELLED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['PENDING', 'PAST_DUE'], event: 'pay', by: ['owner', 'processor', 'timer'], to: 'ACTIVE' },
    { from: ['ACTIVE'], event: 'renew', by: ['timer'], to: 'ACTIVE' },
    { from: ['ACTIVE'], event: 'fall_due', by: ['timer'], to: 'PAST_DUE' },
    // The timer cancels at the end of the period, the processor when the payment of the period was charged back.
    {
      from: ['PENDING', 'ACTIVE', 'PAST_DUE'],
      event: 'cancel',
      by: ['owner', 'timer', 'processor'],
      to: 'CANCELLED',
    },
    { from: ['PENDING', 'PAST_DUE'], event: 'expire', by: ['processor', 'timer'], to: 'EXPIRED' },
  ],
}
