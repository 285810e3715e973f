import { ADA_WALLET, at, SCRIBE_WALLET, uuid } from './constants.ts'

const SUBSCRIPTION = {
  plan: 'PRO',
  feeBps: 1000,
  id: uuid('f6'),
  status: 'ACTIVE',
  price: '59.00',
  currentPeriodStart: at(12, '09:30'),
  currentPeriodEnd: '2026-02-12T09:30:00.000Z',
  cancelsAtPeriodEnd: false,
  renewsFrom: 'wallet',
  walletId: ADA_WALLET,
  graceUntil: null,
  endedAt: null,
  invoices: [
    {
      id: uuid('f7'),
      status: 'PAID',
      amount: '59.00',
      rail: 'wallet',
      periodStart: at(12, '09:30'),
      periodEnd: '2026-02-12T09:30:00.000Z',
      paidAt: at(12, '09:30'),
    },
  ],
}

/** What the examples of vouchers, payments, payouts, plans and subscriptions have in place of the values by field name. */
export const MONEY_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  Voucher: { id: uuid('f5'), amount: '25.00', walletId: ADA_WALLET, note: null, endedAt: null },
  VoucherWithCode: {
    id: uuid('f5'),
    amount: '25.00',
    walletId: ADA_WALLET,
    note: 'Prize of the hackathon',
    endedAt: null,
  },
  RedeemedVoucher: {
    id: uuid('f5'),
    status: 'REDEEMED',
    amount: '25.00',
    wallet: { id: SCRIBE_WALLET },
    transaction: {
      type: 'voucher_redeem',
      direction: 'IN',
      amount: '25.00',
      balanceAfter: '25.00',
      counterpart: `voucher ${uuid('f5')}`,
      memo: null,
      reference: { voucherId: uuid('f5') },
    },
  },
  CardPaymentRecord: {
    id: uuid('f6'),
    status: 'PENDING',
    amount: '25.00',
    rail: 'checkout',
    purpose: 'WALLET_FUNDING',
    reference: ADA_WALLET,
    checkoutUrl: 'https://checkout.stripe.com/c/pay/cs_1Example',
    createdAt: at(12, '09:30'),
    expiresAt: at(13, '09:30'),
    confirmedAt: null,
  },
  Payout: {
    id: uuid('f5'),
    amount: '25.00',
    status: 'PAID',
    failureCode: null,
    failureReason: null,
    sendAt: null,
  },
  AdminPayout: { status: 'REVIEW', failureCode: null, failureReason: null, sendAt: null, completedAt: null },
  Plan: { id: 'PRO', name: 'Pro', price: '59.00', feeBps: 1000 },
  Subscription: SUBSCRIPTION,
  SubscriptionCheckout: { ...SUBSCRIPTION, checkout: undefined },
}
