import { accounts, post } from '#ledger'
import { audit, SYSTEM } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { fromCents, type Leg } from '#platform/kernel/money'
import type { Paid } from '../processors/port.ts'
import * as statements from '../sql.ts'
import type { SuspenseReason } from '../sql.ts'

const ASSET = 'USD'

export interface Mismatch {
  paymentId: string
  paid: Paid
  reason: SuspenseReason
}

/**
 * Keeps money that the processor took in and that fits no payment: posted to suspense with its fee, once for each of
 * its payments there, until an operator says whose it is. Answers `mismatch` where nothing can be posted: money that the
 * ledger has no asset for is only recorded, and one without an amount or an id at the processor not even that.
 */
export async function suspend(
  tx: Tx,
  { paymentId, paid, reason }: Mismatch,
): Promise<'suspense' | 'known' | 'mismatch'> {
  const { processorId, cents, currency, feeCents } = paid
  if (!processorId || !cents) return 'mismatch'
  const booked = currency === ASSET
  const row = { processorId, paymentId, reason, cents, feeCents, currency, booked, at: tx.now }
  if (!(await tx.run(statements.insertSuspense(row)))) return 'known'
  await audit(tx, SYSTEM, 'payment.suspended', {
    target: ['payment', paymentId],
    details: { reason, processorId, cents, feeCents, currency, booked },
  })
  if (!booked) return 'mismatch'
  const legs = [leg(cents, accounts.processor, accounts.suspense), ...feeLegs(feeCents)]
  await post(tx, {
    kind: 'suspense',
    key: `suspense/${processorId}`,
    legs,
    reference: { paymentId, processorId },
  })
  return 'suspense'
}

/** The legs that return the suspended amount of a payment, because a later notification has the right amount. */
export async function outOfSuspense(tx: Tx, processorId: string | null): Promise<Leg[]> {
  const item = processorId ? await tx.maybe(statements.settleSuspense(processorId, tx.now)) : undefined
  if (!item?.booked) return []
  const fee = Number(item.feeCents)
  const back = leg(Number(item.cents), accounts.suspense, accounts.processor)
  return fee > 0 ? [back, leg(fee, accounts.processor, accounts.processorFee)] : [back]
}

/** The processor's fee is our expense. */
export const feeLegs = (cents: number): Leg[] =>
  cents > 0 ? [leg(cents, accounts.processorFee, accounts.processor)] : []

const leg = (cents: number, debit: string, credit: string): Leg => ({
  debit,
  credit,
  amount: fromCents(cents),
  asset: ASSET,
})
