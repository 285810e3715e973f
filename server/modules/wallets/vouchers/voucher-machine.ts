import type { Machine } from '#platform/kernel/machine'

export type VoucherStatus = 'ACTIVE' | 'REDEEMED' | 'CANCELLED' | 'EXPIRED'
export type VoucherEvent = 'redeem' | 'cancel' | 'expire'
export type VoucherTrigger = 'redeemer' | 'owner' | 'timer'

/** The owner is whoever may spend from the wallet that paid for the voucher. */
export const voucherMachine: Machine<VoucherStatus, VoucherEvent, VoucherTrigger> = {
  name: 'voucher',
  table: 'wallets_voucher',
  states: ['ACTIVE', 'REDEEMED', 'CANCELLED', 'EXPIRED'],
  terminal: ['REDEEMED', 'CANCELLED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['ACTIVE'], event: 'redeem', by: ['redeemer'], to: 'REDEEMED' },
    { from: ['ACTIVE'], event: 'cancel', by: ['owner'], to: 'CANCELLED' },
    { from: ['ACTIVE'], event: 'expire', by: ['timer'], to: 'EXPIRED' },
  ],
}
