import { DAY, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Machine } from '#platform/kernel/machine'

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATES)[number]
export type DeliveryEvent = 'succeed' | 'retry' | 'give_up' | 'cancel'
export type DeliveryTrigger = 'sender' | 'owner'

/** One event for one endpoint. A replay is a new delivery. */
export const deliveryMachine: Machine<DeliveryStatus, DeliveryEvent, DeliveryTrigger> = {
  name: 'webhook delivery',
  table: 'notifications_delivery',
  states: DELIVERY_STATES,
  terminal: ['DELIVERED', 'FAILED', 'CANCELLED'],
  timers: ['sender'],
  edges: [
    { from: ['PENDING'], event: 'succeed', by: ['sender'], to: 'DELIVERED' },
    { from: ['PENDING'], event: 'retry', by: ['sender'], to: 'PENDING' },
    { from: ['PENDING'], event: 'give_up', by: ['sender'], to: 'FAILED' },
    // The endpoint was disabled or deleted.
    { from: ['PENDING'], event: 'cancel', by: ['sender', 'owner'], to: 'CANCELLED' },
  ],
}

/** The pauses between attempts: 8 attempts within a day. */
const PAUSES = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, DAY - 9 * HOUR]

/** Milliseconds until the next attempt after `attempts` have failed; null when there is none. */
export const pauseAfter = (attempts: number): number | null => PAUSES[attempts - 1] ?? null
