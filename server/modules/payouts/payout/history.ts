import type { Queryable } from '#platform/kernel/db'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { formatMoney } from '#platform/kernel/money'
import { ownerToRead, type Named } from '../owner.ts'
import { failureCodeOf } from './failure.ts'
import type { PayoutStatus } from './payout-machine.ts'
import * as statements from './sql.ts'
import type { Payout } from './sql.ts'

/** A page of the payouts of an owner, newest first: those of the account that controls it now. */
export async function payoutHistory(q: Queryable, ctx: RequestContext, named: Named, page: Page) {
  const owner = await ownerToRead(q, ctx, named)
  const rows = await q.rows(statements.payoutsOf(owner, page))
  const { counted } = await q.one(statements.countPayoutsOf(owner, TOTAL_CAP + 1))
  return pageAnswer(rows.map(payoutView), counted, page)
}

export const payoutView = (payout: Payout) => ({
  id: payout.id,
  walletId: payout.walletId,
  amount: formatMoney(payout.amount),
  currency: payout.currency,
  rail: payout.rail,
  destination: payout.destination,
  status: payout.status,
  failureCode: failureCodeOf(payout),
  failureReason: payout.failureMessage ?? payout.failureCode,
  createdAt: payout.createdAt.toISOString(),
  sendAt: payout.status === 'REQUESTED' ? (payout.dueAt?.toISOString() ?? null) : null,
  completedAt: payout.completedAt?.toISOString() ?? null,
})

/** Payouts of all owners for an admin, newest first. */
export async function allPayouts(q: Queryable, status: PayoutStatus | undefined, page: Page) {
  const rows = await q.rows(statements.payoutsIn(status, page))
  const { counted } = await q.one(statements.countPayoutsIn(status, TOTAL_CAP + 1))
  return pageAnswer(rows.map(adminPayoutView), counted, page)
}

const adminPayoutView = (payout: Payout) => ({
  ...payoutView(payout),
  ownerType: payout.ownerType,
  ownerId: payout.ownerId,
  accountId: payout.accountId,
  approvalId: payout.approvalId,
})

/** The payout that a transfer at the processor belongs to. */
export const payoutOfTransfer = (
  q: Queryable,
  transferId: string,
): Promise<Pick<Payout, 'walletId' | 'accountId'> | undefined> =>
  q.maybe(statements.payoutOfTransfer(transferId))
