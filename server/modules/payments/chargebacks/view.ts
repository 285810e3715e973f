import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import { formatMoney, fromCents } from '#platform/kernel/money'
import { PAYMENTS } from '../errors.ts'
import { openOf, type Receivable } from '../receivables/receivable.ts'
import { receivablesOf } from '../receivables/sql.ts'
import type { Intent } from '../sql.ts'
import type { ChargebackStatus } from './machine.ts'
import * as statements from './sql.ts'
import type { Chargeback } from './sql.ts'

/** A page of the chargebacks, newest first. */
export async function chargebackViews(q: Queryable, status: ChargebackStatus | undefined, page: Page) {
  const rows = await q.rows(statements.chargebacks(status, page))
  const { counted } = await q.one(statements.countChargebacks(status, TOTAL_CAP + 1))
  return pageAnswer(await views(q, rows), counted, page)
}

/** ApiError 404. */
export async function chargebackView(q: Queryable, id: string) {
  const row = isId(id) ? await q.maybe(statements.chargebackById(id)) : undefined
  const [view] = row ? await views(q, [row]) : []
  if (!view) throw apiError(PAYMENTS.CHARGEBACK_NOT_FOUND)
  return view
}

async function views(q: Queryable, rows: readonly Chargeback[]) {
  const intents = await q.rows(statements.paymentsOf(rows.map(row => row.paymentId)))
  const debts = await q.rows(receivablesOf(rows.map(row => row.id)))
  return rows.flatMap(row => {
    const intent = intents.find(each => each.id === row.paymentId)
    const own = debts.filter(debt => debt.chargebackId === row.id)
    return intent ? [view(row, intent, own)] : []
  })
}

const sum = (debts: readonly Receivable[], of: (debt: Receivable) => bigint): string =>
  formatMoney(debts.reduce((total, debt) => total + of(debt), 0n))

const view = (row: Chargeback, intent: Intent, debts: readonly Receivable[]) => ({
  id: row.id,
  status: row.status,
  disputeId: row.disputeId,
  paymentId: row.paymentId,
  purpose: intent.purpose,
  reference: intent.reference,
  accountId: intent.accountId,
  amount: formatMoney(fromCents(Number(row.cents))),
  fee: formatMoney(fromCents(Number(row.feeCents))),
  currency: intent.currency,
  reason: row.reason,
  respondBy: row.respondBy?.toISOString() ?? null,
  evidenceAt: row.evidenceAt?.toISOString() ?? null,
  owed: {
    amount: sum(debts, debt => debt.amount),
    recovered: sum(debts, debt => debt.recovered),
    writtenOff: sum(debts, debt => debt.writtenOff),
    open: sum(debts, openOf),
  },
  openedJournalId: row.openedJournalId,
  closedJournalId: row.closedJournalId,
  createdAt: row.createdAt.toISOString(),
  closedAt: row.closedAt?.toISOString() ?? null,
})
