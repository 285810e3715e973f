import { test } from 'node:test'
import { assertLinearReads } from '#test'
import type { Movement } from '../processors/statement-port.ts'
import type { RefundRow } from '../refunds/sql.ts'
import type { Intent } from '../sql.ts'
import { comparePayments } from './payments.ts'
import { compareRefunds } from './refunds.ts'

const at = new Date(0)
const numbered = <Row>(count: number, make: (n: number) => Row): Row[] =>
  Array.from({ length: count }, (_, n) => make(n))

const movement =
  (kind: Movement['kind'], prefix: string) =>
  (n: number): Movement => ({
    id: `txn_${n}`,
    kind,
    sourceId: `${prefix}_${n}`,
    ourId: String(n),
    cents: kind === 'refund' ? -1000 : 1000,
    feeCents: 59,
    currency: 'USD',
    at,
  })

const intent = (n: number): Intent => ({
  id: String(n),
  status: 'SUCCEEDED',
  purpose: 'WALLET_FUNDING',
  reference: '',
  accountId: '',
  amount: 10_000_000n,
  currency: 'USD',
  rail: 'card',
  paymentMethod: null,
  returnUrl: null,
  cancelUrl: null,
  receipt: false,
  chargeSent: true,
  processorId: `pi_${n}`,
  checkoutId: null,
  checkoutUrl: null,
  failureCode: null,
  failureMessage: null,
  journalId: null,
  feeCents: 59n,
  askAt: null,
  asks: 0,
  expiresAt: at,
  confirmedAt: at,
  createdAt: at,
})

const refund = (n: number): RefundRow => ({
  id: String(n),
  status: 'SUCCEEDED',
  paymentId: '',
  walletId: '',
  amount: 10_000_000n,
  currency: 'USD',
  journalId: '',
  processorId: `re_${n}`,
  failure: null,
  askAt: null,
  asks: 0,
  createdAt: at,
  updatedAt: at,
})

test('a statement is compared with the payments in proportion to its length', () => {
  assertLinearReads('payments', (count, watch) => {
    const charges = watch(numbered(count, movement('charge', 'pi')))
    const intents = watch(numbered(count, intent))
    comparePayments({ charges, around: charges, intents, confirmed: intents, suspended: [] })
  })
})

test('a statement is compared with the refunds in proportion to its length', () => {
  assertLinearReads('refunds', (count, watch) => {
    const movements = watch(numbered(count, movement('refund', 're')))
    const refunds = watch(numbered(count, refund))
    compareRefunds({ movements, around: movements, refunds, from: at, to: new Date(1) })
  })
})
