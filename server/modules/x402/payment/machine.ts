import type { Machine } from '#platform/kernel/machine'

export type PaymentStatus =
  | 'PENDING'
  | 'VERIFIED'
  | 'SETTLING'
  | 'CONFIRMED'
  | 'FINAL'
  | 'FAILED'
  | 'EXPIRED'
  | 'LATE'
export type PaymentEvent =
  | 'verify'
  | 'settle'
  | 'confirm'
  | 'finalize'
  | 'reorganize'
  | 'fail'
  | 'expire'
  | 'arrive_late'
export type PaymentActor = 'payer' | 'service' | 'chain' | 'timer'

/**
 * VERIFIED: an authorization was checked and claimed; SETTLING: it may have been sent; CONFIRMED: the transfer is in a
 * block; FINAL: it has its confirmations and is posted. A transfer counts after the end too, then the payment is LATE.
 */
export const paymentMachine: Machine<PaymentStatus, PaymentEvent, PaymentActor> = {
  name: 'x402 payment',
  table: 'x402_payment',
  states: ['PENDING', 'VERIFIED', 'SETTLING', 'CONFIRMED', 'FINAL', 'FAILED', 'EXPIRED', 'LATE'],
  terminal: ['FINAL', 'FAILED', 'EXPIRED', 'LATE'],
  timers: ['timer', 'service', 'chain'],
  edges: [
    { from: ['PENDING'], event: 'verify', by: ['payer'], to: 'VERIFIED' },
    { from: ['VERIFIED'], event: 'settle', by: ['service'], to: 'SETTLING' },
    { from: ['PENDING', 'VERIFIED', 'SETTLING'], event: 'confirm', by: ['chain'], to: 'CONFIRMED' },
    { from: ['CONFIRMED'], event: 'finalize', by: ['chain'], to: 'FINAL' },
    // The block was replaced: an authorization is sent again, another transfer has to come again.
    { from: ['CONFIRMED'], event: 'reorganize', by: ['chain'], to: 'SETTLING' },
    { from: ['CONFIRMED'], event: 'reorganize', by: ['chain'], to: 'PENDING' },
    { from: ['VERIFIED', 'SETTLING'], event: 'fail', by: ['chain'], to: 'FAILED' },
    { from: ['PENDING'], event: 'expire', by: ['timer'], to: 'EXPIRED' },
    { from: ['EXPIRED', 'FAILED'], event: 'arrive_late', by: ['chain'], to: 'LATE' },
  ],
}
