import type { Static } from '#platform/http/type'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { PAYMENTS } from '../errors.ts'
import { intentById, type Intent } from '../sql.ts'
import type { PaymentRecord } from './schema.ts'
import { countPaymentsWith, paymentsWith, type PaymentFilter } from './sql.ts'

/** A page of the payments that an account started, newest first. */
export async function paymentPage(
  q: Queryable,
  filter: PaymentFilter,
  { now, ...page }: Page & { now: Date },
) {
  const rows = await q.rows(paymentsWith(filter, page))
  const { counted } = await q.one(countPaymentsWith(filter, TOTAL_CAP + 1))
  return pageAnswer(
    rows.map(row => view(row, now)),
    counted,
    page,
  )
}

/** ApiError 404, also for the payment of another account: its id says nothing to others. */
export async function ownPayment(
  q: Queryable,
  { id, accountId }: { id: string; accountId: string },
  now: Date,
) {
  const row = isId(id) ? await q.maybe(intentById(id)) : undefined
  if (row?.accountId !== accountId) throw apiError(PAYMENTS.PAYMENT_NOT_FOUND)
  return view(row, now)
}

const view = (row: Intent, now: Date): Static<typeof PaymentRecord> => ({
  id: row.id,
  status: row.status,
  amount: formatMoney(row.amount),
  currency: row.currency,
  rail: row.rail,
  purpose: row.purpose,
  reference: row.reference,
  checkoutUrl: row.status === 'PENDING' && row.expiresAt > now ? row.checkoutUrl : null,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  confirmedAt: row.confirmedAt?.toISOString() ?? null,
})
