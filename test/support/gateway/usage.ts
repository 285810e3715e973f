import { newId } from '#platform/kernel/id'
import { json, part, joined, sql } from '#platform/kernel/sql'
import type { UsageRecord } from '../../../server/modules/gateway/core/funds.ts'
import type { TestService } from '../service/service.ts'

/** A routed request with these differences from the usual one. */
export type UsageDifference = Partial<Omit<UsageRecord, 'tokens'>> & {
  tokens?: Partial<UsageRecord['tokens']>
}

/** The record of a completed request of 100 tokens to a mid model, which costs a cent. */
export function usageRecord({ tokens, ...difference }: UsageDifference = {}): UsageRecord {
  return {
    id: `gen-${newId()}`,
    accountId: newId(),
    keyId: newId(),
    surface: 'chat',
    requestedModel: 'auto',
    model: 'claude-sonnet-5-5',
    provider: 'anthropic',
    tier: 'mid',
    complexity: 0.5,
    decision: { kind: 'code' },
    tokens: { input: 60, output: 40, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...tokens },
    costNano: 10_000_000,
    cost: 10_000n,
    fee: 800n,
    latencyMs: 200,
    ttftMs: null,
    attempts: [{ model: 'claude-sonnet-5-5', result: 'ok', latencyMs: 190 }],
    outcome: 'completed',
    finishReason: 'stop',
    stream: false,
    simulated: true,
    endUser: null,
    at: new Date(),
    ...difference,
  }
}

/** Writes usage rows in one statement as the flush does: a row that exists already is left as it is. */
export async function writeUsage(
  { services: { db } }: TestService,
  records: readonly UsageRecord[],
): Promise<readonly UsageRecord[]> {
  const rows = records.map(
    r => part`(${r.id}, ${r.accountId}::uuid, ${r.keyId}::uuid, ${r.surface}, ${r.requestedModel}, ${r.model}, ${r.provider},
      ${r.tier}, ${r.complexity}::real, ${json(r.decision)}::jsonb, ${r.tokens.input}::int, ${r.tokens.output}::int,
      ${r.tokens.cacheRead}::int, ${r.tokens.cacheWrite}::int, ${r.tokens.reasoning}::int, ${r.costNano}::bigint,
      ${r.cost}::bigint, ${r.fee}::bigint, ${r.latencyMs}::int, ${r.ttftMs}::int, ${json(r.attempts)}::jsonb, ${r.outcome},
      ${r.finishReason}, ${r.stream}::boolean, ${r.simulated}::boolean, ${r.endUser}, ${r.at}::timestamptz)`,
  )
  await db.run(sql`
    insert into gateway_usage (id, account_id, key_id, surface, requested_model, model, provider, tier, complexity,
      decision, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_nano, cost, fee,
      latency_ms, ttft_ms, attempts, outcome, finish_reason, stream, simulated, end_user, at)
    values ${joined(rows, ', ')} on conflict (id) do nothing`)
  return records
}

/** Removes the rows that tests wrote without the postings of their cost, for the ledger check at the end. */
export async function removeWrittenUsage({ services: { db } }: TestService): Promise<void> {
  const written = part`select id from gateway_usage where lease_id is null and cost + fee > 0`
  await db.run(sql`delete from gateway_outcome where generation_id in (${written})`)
  await db.run(sql`delete from gateway_usage where id in (${written})`)
}
