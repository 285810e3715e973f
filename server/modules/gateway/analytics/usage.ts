import { isStorable } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import type { Outcome } from '../core/funds.ts'
import { routingLogRows, usageRows, type UsageFilter, type UsageRow } from './sql.ts'

export interface UsageQuery {
  search?: string
  from?: string
  to?: string
  model?: string
  key?: string
  outcome?: Outcome
  limit?: number
  cursor?: string
}

/** A page of the requests of an account, the newest first. */
export async function listUsage(q: Queryable, accountId: string, query: UsageQuery) {
  if (query.key !== undefined && !isId(query.key))
    return { object: 'list' as const, data: [], nextCursor: null }
  const limit = query.limit ?? 20
  const rows = await q.rows(usageRows(filterOf(accountId, query), limit + 1))
  return pageAfter(rows, limit, usageView)
}

/** The same with the decisions of the router. */
export async function routingLog(
  q: Queryable,
  accountId: string,
  query: { limit?: string; cursor?: string },
) {
  const limit = Number(query.limit ?? 20)
  const rows = await q.rows(routingLogRows(filterOf(accountId, { cursor: query.cursor }), limit + 1))
  return pageAfter(rows, limit, row => ({ ...usageView(row), decision: row.decision }))
}

function filterOf(
  accountId: string,
  { search, from, to, model, key, outcome, cursor }: UsageQuery,
): UsageFilter {
  return {
    accountId,
    ...(search === undefined ? {} : { search }),
    ...(from === undefined ? {} : { from: new Date(from) }),
    ...(to === undefined ? {} : { to: new Date(to) }),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined ? {} : { keyId: key }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(cursor === undefined ? {} : { before: readCursor(cursor) }),
  }
}

function usageView(row: UsageRow) {
  const { at, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, ...rest } = row
  const { cost, fee, endUser, ...shown } = rest
  return {
    ...shown,
    createdAt: at.toISOString(),
    tokens: {
      input: inputTokens,
      output: outputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      reasoning: reasoningTokens,
    },
    costUsd: formatMoney(cost),
    feeUsd: formatMoney(fee),
    user: endUser,
  }
}

/** A page of `limit` rows; another row behind them makes a cursor. */
export function pageAfter<Row extends { at: Date; id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => Item,
) {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    object: 'list' as const,
    data: rows.slice(0, limit).map(view),
    nextCursor: last ? Buffer.from(`${last.at.toISOString()} ${last.id}`).toString('base64url') : null,
  }
}

export function readCursor(cursor: string): { at: Date; id: string } {
  const [moment = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const at = new Date(moment)
  if (!isStorable(at) || !id) throw invalid('cursor must be the nextCursor of a former answer')
  return { at, id }
}
