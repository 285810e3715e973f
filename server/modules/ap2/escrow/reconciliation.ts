import { accounts, balanceOf, journalsOf } from '#ledger'
import { cardPayments } from '#payments'
import type { Queryable } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import { feeOfRelease } from './fee.ts'
import { heldOf, wasHeld, type EscrowRow } from '../deal/rows.ts'

/** The record of an escrow against the ledger, leg by leg. */
export async function reconcile(q: Queryable, escrow: EscrowRow, asOf: Date) {
  const account = accounts.escrow(escrow.id)
  const legs = (await journalsOf(q, account)).filter(leg => leg.asset === escrow.currency)
  const heldBalance = await balanceOf(q, account, escrow.currency)
  const fee = sum(
    legs,
    leg =>
      leg.debit === account && leg.credit === (escrow.test ? accounts.testFloat : accounts.marketplaceFee),
  )
  const commission = sum(legs, leg => leg.debit === accounts.commission)
  const expectedHeld = heldOf(escrow)
  const checks = checksOf(escrow, { legs, account, heldBalance, expectedHeld, fee })
  return {
    escrowId: escrow.id,
    asOf: asOf.toISOString(),
    status: escrow.status,
    currency: escrow.currency,
    gross: formatMoney(escrow.amount),
    released: formatMoney(escrow.released),
    refunded: formatMoney(escrow.refunded),
    heldBalance: formatMoney(heldBalance),
    expectedHeld: formatMoney(expectedHeld),
    difference: formatMoney(heldBalance - expectedHeld),
    fee: formatMoney(fee),
    commission: formatMoney(commission),
    entries: legs.map(leg => ({
      journalId: leg.journalId,
      kind: leg.kind,
      at: leg.at.toISOString(),
      debit: leg.debit,
      credit: leg.credit,
      amount: formatMoney(leg.amount),
      hash: leg.hash,
    })),
    external: await externalOf(q, escrow),
    checks,
    ok: checks.every(check => check.ok),
  }
}

/** The records of the processor. A wallet pays inside the books: there is none to match. */
async function externalOf(q: Queryable, escrow: EscrowRow) {
  const { id, rail, amount } = escrow
  const payment = rail === 'card' ? await cardPayments.paymentById(q, id) : undefined
  if (!payment) return []
  const isPaid = payment.status === 'SUCCEEDED'
  const refunds = await cardPayments.refundsOf(q, id)
  return [
    {
      rail,
      reference: payment.processorId ?? payment.id,
      amount: formatMoney(payment.amount),
      state: payment.status,
      matched: payment.amount === amount && payment.status !== 'PENDING' && (isPaid || !wasHeld(escrow)),
    },
    ...refunds.map(refund => ({
      rail,
      reference: refund.processorId ?? refund.id,
      amount: formatMoney(-refund.amount),
      state: refund.status,
      matched: refund.status !== 'PENDING',
    })),
  ]
}

interface Leg {
  debit: string
  credit: string
  amount: bigint
}

const sum = (legs: readonly Leg[], which: (leg: Leg) => boolean): bigint =>
  legs.filter(which).reduce((total, leg) => total + leg.amount, 0n)

interface Books {
  legs: readonly Leg[]
  account: string
  heldBalance: bigint
  expectedHeld: bigint
  fee: bigint
}

function checksOf(escrow: EscrowRow, { legs, account, heldBalance, expectedHeld, fee }: Books) {
  const paidIn = sum(legs, leg => leg.credit === account)
  const paidOut = sum(legs, leg => leg.debit === account)
  const whole = feeOfRelease({ released: 0n, fees: 0n, feeBps: escrow.feeBps }, escrow.released)
  return [
    { name: 'the gross amount was paid in', ok: paidIn === (wasHeld(escrow) ? escrow.amount : 0n) },
    { name: 'releases and refunds were paid out', ok: paidOut === escrow.released + escrow.refunded },
    { name: 'the held balance is what is left', ok: heldBalance === expectedHeld },
    { name: 'the fee is that of the whole, not of its parts', ok: fee === escrow.fees && fee === whole },
    { name: 'an ended escrow holds nothing', ok: escrow.endedAt === null || heldBalance === 0n },
  ]
}
