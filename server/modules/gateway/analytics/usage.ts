import { after, HOUR, isStorable } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import type { Outcome } from '../core/funds.ts'
import {
  lastScannedRow,
  matchingRows,
  newestHour,
  routingLogRows,
  usageRowOf,
  usageRows,
  type UsageFilter,
  type UsageRow,
} from './sql.ts'

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

/** A page with filters reads at most this many rows, which takes a fraction of a second. */
const SCANNED_MAX = 50_000

/**
 * A page of the requests of an account, the newest first. With filters it may have fewer entries than `limit` although more
 * follow: no index finds rare values, and an account may have millions of requests. `q` is a snapshot.
 */
export async function listUsage(q: Queryable, accountId: string, query: UsageQuery, scanned = SCANNED_MAX) {
  if (query.key !== undefined && !isId(query.key)) return NO_ROWS
  const limit = query.limit ?? 20
  const filter = filterOf(accountId, query)
  const { search, model, keyId, outcome } = filter
  if ([search, model, keyId, outcome].every(each => each === undefined))
    return pageAfter(await q.rows(usageRows(filter, limit + 1)), limit, usageView)
  const named = search === undefined ? null : await q.maybe(usageRowOf(filter, search))
  if (named) return pageAfter([named], limit, usageView)
  const period = await withoutNewerHours(q, filter)
  if (!period) return NO_ROWS
  const rows = await q.rows(matchingRows(period, { limit: limit + 1, scanned }))
  const page = pageAfter(rows, limit, usageView)
  if (page.nextCursor) return page
  const last = await q.maybe(lastScannedRow(period, scanned))
  return { ...page, nextCursor: last ? cursorOf(last) : null }
}

const NO_ROWS = { object: 'list' as const, data: [], nextCursor: null }

/** The filter from the newest hour on that can have a match; null if none can. */
async function withoutNewerHours(q: Queryable, filter: UsageFilter): Promise<UsageFilter | null> {
  const { hour } = await q.one(newestHour(filter))
  if (!hour) return null
  const end = after(hour, HOUR)
  return filter.to && filter.to < end ? filter : { ...filter, to: end }
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
    nextCursor: last ? cursorOf(last) : null,
  }
}

const cursorOf = ({ at, id }: { at: Date; id: string }): string =>
  Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')

export function readCursor(cursor: string): { at: Date; id: string } {
  const [moment = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const at = new Date(moment)
  if (!isStorable(at) || !id) throw invalid('cursor must be the nextCursor of a former answer')
  return { at, id }
}
