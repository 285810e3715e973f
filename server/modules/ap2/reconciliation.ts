import { accounts, balanceOf, journalsOf, type PostedLeg } from '#ledger'
import type { Queryable } from '#platform/db'
import { formatMoney } from '#platform/money'
import { feeOfRelease } from './fee.ts'
import { heldOf, type EscrowRow } from './rows.ts'

/** The record of an escrow against the ledger, leg by leg. */
export async function reconcile(q: Queryable, escrow: EscrowRow, asOf: Date) {
  const account = accounts.escrow(escrow.id)
  const legs = (await journalsOf(q, account)).filter(leg => leg.asset === escrow.currency)
  const heldBalance = await balanceOf(q, account, escrow.currency)
  const fee = sum(legs, leg => leg.debit === account && leg.credit === (escrow.test ? accounts.testFloat : accounts.marketplaceFee))
  const commission = sum(legs, leg => leg.debit === accounts.commission)
  const expectedHeld = heldOf(escrow)
  const checks = checksOf(escrow, { legs, account, heldBalance, fee })
  return {
    escrowId: escrow.id, asOf: asOf.toISOString(), status: escrow.status, currency: escrow.currency,
    gross: formatMoney(escrow.amount), released: formatMoney(escrow.released), refunded: formatMoney(escrow.refunded),
    heldBalance: formatMoney(heldBalance), expectedHeld: formatMoney(expectedHeld),
    difference: formatMoney(heldBalance - expectedHeld),
    fee: formatMoney(fee), commission: formatMoney(commission),
    entries: legs.map(leg => ({
      journalId: leg.journalId, kind: leg.kind, at: leg.at.toISOString(), debit: leg.debit, credit: leg.credit,
      amount: formatMoney(leg.amount), hash: leg.hash,
    })),
    // A wallet pays inside the books: there is no outside record to match.
    external: [],
    checks, ok: checks.every(check => check.ok),
  }
}

const sum = (legs: readonly PostedLeg[], which: (leg: PostedLeg) => boolean): bigint =>
  legs.filter(which).reduce((total, leg) => total + leg.amount, 0n)

interface Books { legs: readonly PostedLeg[]; account: string; heldBalance: bigint; fee: bigint }

function checksOf(escrow: EscrowRow, { legs, account, heldBalance, fee }: Books) {
  const paidIn = sum(legs, leg => leg.credit === account)
  const paidOut = sum(legs, leg => leg.debit === account)
  const whole = feeOfRelease({ released: 0n, fees: 0n, feeBps: escrow.fee_bps }, escrow.released)
  return [
    { name: 'the gross amount was paid in', ok: paidIn === escrow.amount },
    { name: 'releases and refunds were paid out', ok: paidOut === escrow.released + escrow.refunded },
    { name: 'the held balance is what is left', ok: heldBalance === heldOf(escrow) },
    { name: 'the fee is that of the whole, not of its parts', ok: fee === escrow.fees && fee === whole },
    { name: 'an ended escrow holds nothing', ok: escrow.ended_at === null || heldBalance === 0n },
  ]
}
