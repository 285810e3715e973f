import { formatMoney } from '#platform/kernel/money'
import type { Queryable } from '#platform/kernel/db'
import { TIERS } from '../core/model.ts'
import type { Span } from './span.ts'
import { sums, sumsByKey, sumsByModel, sumsByTier, type Sums } from './sql.ts'

/** Totals of an account over a period. */
export async function summary(q: Queryable, accountId: string, span: Span) {
  return { ...figures(await q.one(sums(accountId, span))), ...periodOf(span) }
}

/** The totals, and those of each key. */
export async function summaryOfKeys(q: Queryable, accountId: string, span: Span) {
  const totals = await summary(q, accountId, span)
  const rows = await q.rows(sumsByKey(accountId, span))
  return { ...totals, keys: rows.map(row => ({ keyId: row.keyId, ...figures(row) })) }
}

export async function byModel(q: Queryable, accountId: string, span: Span) {
  const rows = await q.rows(sumsByModel(accountId, span))
  const data = rows.map(row => ({
    model: row.model,
    provider: row.provider,
    tier: row.tier,
    ...figures(row),
  }))
  return { object: 'list' as const, data, ...periodOf(span) }
}

export async function byTier(q: Queryable, accountId: string, span: Span) {
  const rows = await q.rows(sumsByTier(accountId, span))
  rows.sort((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier))
  return {
    object: 'list' as const,
    data: rows.map(row => ({ tier: row.tier, ...figures(row) })),
    ...periodOf(span),
  }
}

export const periodOf = ({ from, to }: Span) => ({ from: from.toISOString(), to: to.toISOString() })

function figures(row: Sums) {
  const requests = Number(row.requests)
  const share = (part: bigint) => (requests ? Number(part) / requests : 0)
  return {
    requests,
    tokens: Number(row.inputTokens + row.outputTokens),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    cachedTokens: Number(row.cacheReadTokens),
    reasoningTokens: Number(row.reasoningTokens),
    costUsd: formatMoney(row.cost),
    feeUsd: formatMoney(row.fee),
    avgLatencyMs: Math.round(share(row.latencyMs)),
    errorRate: round(share(row.errors)),
    retryRate: round(share(row.retried)),
  }
}

const round = (rate: number): number => Math.round(rate * 10_000) / 10_000
