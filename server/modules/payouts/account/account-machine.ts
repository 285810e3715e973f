import type { Machine } from '#platform/kernel/machine'

export const ACCOUNT_STATES = ['NOT_CONNECTED', 'PENDING', 'RESTRICTED', 'ACTIVE', 'REJECTED'] as const
export type AccountStatus = (typeof ACCOUNT_STATES)[number]
export type AccountEvent = 'connect' | 'update' | 'disconnect'
export type AccountActor = 'owner' | 'processor' | 'system'

const CONNECTED = ['PENDING', 'RESTRICTED', 'ACTIVE', 'REJECTED'] as const

/** The processor decides in which state a connected account is. No state has a deadline: it waits for its holder. */
export const accountMachine: Machine<AccountStatus, AccountEvent, AccountActor> = {
  name: 'payout account',
  table: 'payouts_account',
  states: ACCOUNT_STATES,
  terminal: ACCOUNT_STATES,
  timers: [],
  edges: [
    { from: ['NOT_CONNECTED'], event: 'connect', by: ['owner'], to: 'PENDING' },
    ...CONNECTED.map(
      to =>
        ({
          from: CONNECTED.filter(state => state !== to),
          event: 'update',
          by: ['processor'],
          to,
        }) as const,
    ),
    { from: CONNECTED, event: 'disconnect', by: ['system'], to: 'NOT_CONNECTED' },
  ],
}
