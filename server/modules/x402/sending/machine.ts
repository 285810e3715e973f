import type { Machine } from '#platform/kernel/machine'

export type SendingStatus = 'PENDING' | 'SENT' | 'PAID' | 'FAILED'
export type SendingEvent = 'send' | 'confirm' | 'fail'

/** SENT: a transaction may be in a block; PAID: it has its confirmations. FAILED is certain: nothing can be paid any more. */
export const sendingMachine: Machine<SendingStatus, SendingEvent, 'service' | 'chain'> = {
  name: 'chain sending',
  table: 'x402_sending',
  states: ['PENDING', 'SENT', 'PAID', 'FAILED'],
  terminal: ['PAID', 'FAILED'],
  timers: ['service', 'chain'],
  edges: [
    { from: ['PENDING', 'SENT'], event: 'send', by: ['service'], to: 'SENT' },
    { from: ['SENT'], event: 'confirm', by: ['chain'], to: 'PAID' },
    { from: ['PENDING', 'SENT'], event: 'fail', by: ['service'], to: 'FAILED' },
  ],
}
