import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { formatMoney } from '#platform/kernel/money'
import { GATEWAY } from '../../core/errors.ts'
import type { InstanceFunds } from '../funds.ts'
import { usageById, usageRowOf, type UsageRow } from '../usage-sql.ts'

/** Another instance may have answered: until its flush the database does not have the row. */
const WRITTEN_WITHIN_MS = [0, 100, 300]

/** The record of a request of the account. 404 for an unknown id, and for one of another account. */
export async function readGeneration(
  q: Queryable,
  funds: InstanceFunds,
  { id, accountId }: { id: string; accountId: string },
) {
  for (const pauseMs of WRITTEN_WITHIN_MS) {
    if (pauseMs) await sleep(pauseMs)
    const entry = funds.findUnflushed(id)
    if (entry?.record.accountId === accountId) return generationView(usageRowOf(entry.record, entry.charge))
    const row = await q.maybe(usageById(id, accountId))
    if (row) return generationView(row)
  }
  throw apiError(GATEWAY.GENERATION_NOT_FOUND, { hint: 'The id is that of a response to this account' })
}

function generationView(row: UsageRow) {
  const {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
    cost,
    fee,
    at,
    ...rest
  } = row
  const { id, surface, requestedModel, model, provider, tier, complexity, latencyMs, ttftMs } = rest
  const { attempts, outcome, finishReason, stream, simulated } = rest
  return {
    object: 'generation' as const,
    id,
    createdAt: at.toISOString(),
    surface,
    requestedModel,
    model,
    provider,
    tier,
    complexity,
    tokens: {
      input: inputTokens,
      output: outputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      reasoning: reasoningTokens,
    },
    costUsd: formatMoney(cost),
    feeUsd: formatMoney(fee),
    totalUsd: formatMoney(cost + fee),
    latencyMs,
    ttftMs,
    attempts: [...attempts],
    outcome,
    finishReason,
    stream,
    simulated,
  }
}
