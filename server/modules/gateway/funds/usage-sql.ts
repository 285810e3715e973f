import { json, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { Attempt, Outcome, SurfaceName, UsageRecord } from '../core/funds.ts'
import type { ProviderId, Tier, TokenUsage } from '../core/model.ts'
import type { Charge } from './plan.ts'

/** A usage row as it is written: cost and fee are what the account is charged. */
export interface Usage extends Charge {
  record: UsageRecord
  /** The lease that paid, and the number of its journal. */
  leaseId: string | null
  epoch: number | null
}

const columns: SqlPart = part`id, account_id, key_id, surface, requested_model, model, provider, tier, complexity, decision, input_tokens,
  output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_nano, cost, fee, borne, lease_id, epoch, latency_ms, ttft_ms,
  attempts, outcome, finish_reason, stream, simulated, end_user, at`

/** Rows in one parameter, so that the statement is prepared once for batches of any size. */
export const insertUsage = (rows: readonly Usage[]) => sql`
  insert into gateway_usage (${columns})
  select ${columns} from jsonb_to_recordset(${json(rows.map(toJson))}::jsonb) as u (id text, account_id uuid, key_id uuid, surface text,
    requested_model text, model text, provider text, tier text, complexity real, decision jsonb, input_tokens integer, output_tokens integer,
    cache_read_tokens integer, cache_write_tokens integer, reasoning_tokens integer, cost_nano bigint, cost bigint, fee bigint, borne bigint,
    lease_id uuid, epoch integer, latency_ms integer, ttft_ms integer, attempts jsonb, outcome text, finish_reason text, stream boolean,
    simulated boolean, end_user text, at timestamptz)`

function toJson({ record, leaseId, epoch, cost, fee, borne }: Usage) {
  const { tokens } = record
  const input = count(tokens.input)
  const output = count(tokens.output)
  const cacheRead = Math.min(count(tokens.cacheRead), input)
  return {
    id: record.id,
    account_id: record.accountId,
    key_id: record.keyId,
    surface: record.surface,
    requested_model: text(record.requestedModel),
    model: record.model,
    provider: record.provider,
    tier: record.tier,
    complexity: record.complexity,
    decision: record.decision,
    // What a provider reports is not checked elsewhere, and one wrong row must not prevent the others from being written.
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: Math.min(count(tokens.cacheWrite), input - cacheRead),
    reasoning_tokens: Math.min(count(tokens.reasoning), output),
    cost_nano: Math.round(record.costNano),
    cost: cost.toString(),
    fee: fee.toString(),
    borne: borne.toString(),
    lease_id: leaseId,
    epoch,
    latency_ms: count(record.latencyMs),
    ttft_ms: record.ttftMs === null ? null : count(record.ttftMs),
    attempts: record.attempts,
    outcome: record.outcome,
    finish_reason: record.finishReason,
    stream: record.stream,
    simulated: record.simulated,
    end_user: record.endUser === null ? null : text(record.endUser),
    at: record.at.toISOString(),
  }
}

const MAX_COUNT = 2 ** 31 - 1
const count = (value: number): number => Math.min(Math.max(Math.round(value) || 0, 0), MAX_COUNT)
// PostgreSQL stores no NUL, and a lone surrogate is no character. The cut may leave one, so it comes first.
const text = (value: string): string => value.replaceAll('\0', '').slice(0, 500).toWellFormed()

export const hasUsage = (id: string) =>
  sql<{ found: boolean }>`select exists (select from gateway_usage where id = ${id}) as found`

/** A row of `gateway_usage` as `GET /v1/generations/{id}` shows it. */
export interface UsageRow {
  id: string
  surface: SurfaceName
  requestedModel: string
  model: string
  provider: ProviderId
  tier: Tier
  complexity: number | null
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  reasoningTokens: number
  cost: bigint
  fee: bigint
  latencyMs: number
  ttftMs: number | null
  attempts: readonly Attempt[]
  outcome: Outcome
  finishReason: string | null
  stream: boolean
  simulated: boolean
  at: Date
}

export const usageById = (id: string, accountId: string) => sql<UsageRow>`
  select id, surface, requested_model, model, provider, tier, complexity, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, reasoning_tokens, cost, fee, latency_ms, ttft_ms, attempts, outcome, finish_reason, stream, simulated, at
  from gateway_usage where id = ${id} and account_id = ${accountId}`

/** The same from a record that is not in the database yet. */
export function usageRowOf(record: UsageRecord, { cost, fee }: Charge): UsageRow {
  const { input, output, cacheRead, cacheWrite, reasoning }: TokenUsage = record.tokens
  return {
    ...record,
    cost,
    fee,
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoning,
  }
}

/** Erases what callers of a deleted account wrote. */
export const eraseUsageText = (accountId: string) => sql`
  update gateway_usage set end_user = null, requested_model = model
  where account_id = ${accountId} and (end_user is not null or requested_model <> model)`
