import type { Static } from '#platform/http/type'
import type { Queryable } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { heldOf } from '../deal/rows.ts'
import type { AdminEscrow } from './schema.ts'
import { countEscrowsWith, escrowsWith, type EscrowFilter, type ListedEscrow } from './sql.ts'

/** Escrows of all accounts for an admin, newest first. */
export async function listAllEscrows(q: Queryable, filter: EscrowFilter, page: Page) {
  // An invalid id is one of nothing.
  if ([filter.id, filter.accountId].some(id => id !== undefined && !isId(id))) return pageAnswer([], 0, page)
  const rows = await q.rows(escrowsWith(filter, page))
  const { counted } = await q.one(countEscrowsWith(filter, TOTAL_CAP + 1))
  return pageAnswer(rows.map(view), counted, page)
}

const view = (row: ListedEscrow): Static<typeof AdminEscrow> => ({
  id: row.id,
  negotiationId: row.negotiationId,
  requestedService: row.requestedService,
  buyer: {
    accountId: row.buyerAccountId,
    accountName: row.buyerAccountName,
    agentId: row.buyerAgentId,
    agentName: row.buyerAgentName,
    agentSlug: row.buyerAgentSlug,
  },
  seller: {
    accountId: row.sellerAccountId,
    accountName: row.sellerAccountName,
    agentId: row.sellerAgentId,
    agentName: row.sellerAgentName,
    agentSlug: row.sellerAgentSlug,
  },
  amount: formatMoney(row.amount),
  held: formatMoney(heldOf(row)),
  currency: row.currency,
  test: row.test,
  status: row.status,
  freezes: row.freezes,
  frozenAt: row.frozenAt?.toISOString() ?? null,
  disputeReason: row.disputeReason,
  answerBy: row.answerBy?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})
