import type { Machine } from '#platform/kernel/machine'

export const COMMISSION_STATES = [
  'EXPECTED',
  'PENDING',
  'AVAILABLE',
  'PAID',
  'CANCELLED',
  'CLAWED_BACK',
  'FRAUD_HOLD',
] as const
export type CommissionStatus = (typeof COMMISSION_STATES)[number]
export type CommissionEvent =
  | 'earn'
  | 'suspect'
  | 'cancel'
  | 'vest'
  | 'pay'
  | 'claw_back'
  | 'clear'
  | 'confirm_fraud'
/** `deal`: what became of the escrow or its payment. `affiliate`: its payout, or the end of its account. */
export type CommissionActor = 'deal' | 'timer' | 'affiliate' | 'admin'

/** EXPECTED ends with its deal, FRAUD_HOLD by an admin; a paid commission can still be charged back. */
export const commissionMachine: Machine<CommissionStatus, CommissionEvent, CommissionActor> = {
  name: 'commission',
  table: 'affiliates_commission',
  states: COMMISSION_STATES,
  terminal: ['CANCELLED', 'CLAWED_BACK'],
  timers: ['deal', 'timer'],
  edges: [
    { from: ['EXPECTED'], event: 'earn', by: ['deal'], to: 'PENDING' },
    { from: ['EXPECTED'], event: 'suspect', by: ['deal'], to: 'FRAUD_HOLD' },
    { from: ['EXPECTED'], event: 'cancel', by: ['deal'], to: 'CANCELLED' },
    { from: ['PENDING'], event: 'vest', by: ['timer'], to: 'AVAILABLE' },
    { from: ['AVAILABLE'], event: 'pay', by: ['affiliate', 'timer'], to: 'PAID' },
    {
      from: ['PENDING', 'AVAILABLE', 'PAID', 'FRAUD_HOLD'],
      event: 'claw_back',
      by: ['deal', 'affiliate'],
      to: 'CLAWED_BACK',
    },
    { from: ['FRAUD_HOLD'], event: 'clear', by: ['admin'], to: 'PENDING' },
    { from: ['FRAUD_HOLD'], event: 'confirm_fraud', by: ['admin', 'timer'], to: 'CLAWED_BACK' },
  ],
}
