import type { Machine } from '#platform/kernel/machine'

export const NEED_STATES = ['OPEN', 'MATCHED', 'CLOSED', 'EXPIRED'] as const
export type NeedStatus = (typeof NEED_STATES)[number]
export type NeedEvent = 'match' | 'close' | 'expire'
/** `system` acts for an account that is being deleted, or an agent that is archived. */
export type NeedTrigger = 'buyer' | 'timer' | 'system'

export const needMachine: Machine<NeedStatus, NeedEvent, NeedTrigger> = {
  name: 'need',
  table: 'market_need',
  states: NEED_STATES,
  terminal: ['MATCHED', 'CLOSED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['OPEN'], event: 'match', by: ['buyer'], to: 'MATCHED' },
    { from: ['OPEN'], event: 'close', by: ['buyer', 'system'], to: 'CLOSED' },
    { from: ['OPEN'], event: 'expire', by: ['timer'], to: 'EXPIRED' },
  ],
}
