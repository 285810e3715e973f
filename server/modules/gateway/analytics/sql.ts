import { joined, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { Attempt, Outcome, SurfaceName } from '../core/funds.ts'
import type { ProviderId, Rates, Tier } from '../core/model.ts'
import type { Span } from './span.ts'

/** Which requests of an account. */
export interface UsageFilter {
  accountId: string
  /** Id of the response, requested model or end user. */
  search?: string
  from?: Date
  to?: Date
  model?: string
  keyId?: string
  outcome?: Outcome
  /** The last row of the previous page. */
  before?: { at: Date; id: string }
}

export interface UsageRow {
  id: string
  at: Date
  keyId: string
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
  attempts: Attempt[]
  outcome: Outcome
  finishReason: string | null
  stream: boolean
  simulated: boolean
  endUser: string | null
}

const USAGE = part`id, at, key_id, surface, requested_model, model, provider, tier, complexity, input_tokens, output_tokens,
  cache_read_tokens, cache_write_tokens, reasoning_tokens, cost, fee, latency_ms, ttft_ms, attempts, outcome,
  finish_reason, stream, simulated, end_user`

/** The requests of an account in a period, from the last row of the previous page on. */
function inPeriod({ accountId, from, to, before }: UsageFilter): SqlPart {
  const parts = [part`account_id = ${accountId}`]
  if (from) parts.push(part`at >= ${from}`)
  if (to) parts.push(part`at < ${to}`)
  if (before) parts.push(part`at <= ${before.at}`, part`(at < ${before.at} or id > ${before.id})`)
  return joined(parts, ' and ')
}

function matching({ search, model, keyId, outcome }: UsageFilter): SqlPart {
  const parts = [part`true`]
  if (search !== undefined) parts.push(part`${search} in (id, requested_model, end_user)`)
  if (model !== undefined) parts.push(part`model = ${model}`)
  if (keyId !== undefined) parts.push(part`key_id = ${keyId}`)
  if (outcome) parts.push(part`outcome = ${outcome}`)
  return joined(parts, ' and ')
}

/** The newest first. */
export const usageRows = (filter: UsageFilter, limit: number) => sql<UsageRow>`
  select ${USAGE} from gateway_usage where ${inPeriod(filter)} order by at desc, id limit ${limit}`

/** The matches among the `scanned` newest rows of the period. */
export const matchingRows = (
  filter: UsageFilter,
  { limit, scanned }: { limit: number; scanned: number },
) => sql<UsageRow>`
  select ${USAGE}
  from (select * from gateway_usage where ${inPeriod(filter)} order by at desc, id limit ${scanned}) scanned
  where ${matching(filter)} order by at desc, id limit ${limit}`

/** The last of the `scanned` newest rows of the period; none where it has fewer. */
export const lastScannedRow = (filter: UsageFilter, scanned: number) => sql<{ at: Date; id: string }>`
  select at, id from gateway_usage where ${inPeriod(filter)} order by at desc, id offset ${scanned - 1} limit 1`

/** One request by its id. */
export const usageRowOf = (filter: UsageFilter, id: string) => sql<UsageRow>`
  select ${USAGE} from gateway_usage where id = ${id} and ${inPeriod(filter)} and ${matching(filter)}`

/** The newest hour that has requests of the model and the key, and for outcomes that are errors an error. */
export function newestHour({ accountId, model, keyId, outcome, to, before }: UsageFilter) {
  const parts = [part`account_id = ${accountId}`]
  if (model !== undefined) parts.push(part`model = ${model}`)
  if (keyId !== undefined) parts.push(part`key_id = ${keyId}`)
  if (outcome === 'failed' || outcome === 'partial') parts.push(part`errors > 0`)
  if (to) parts.push(part`hour < ${to}`)
  if (before) parts.push(part`hour <= ${before.at}`)
  return sql<{
    hour: Date | null
  }>`select max(hour) as hour from gateway_usage_hour where ${joined(parts, ' and ')}`
}

/** The newest first, with the decision. */
export const routingLogRows = (filter: UsageFilter, limit: number) => sql<
  UsageRow & { decision: Record<string, unknown> }
>`
  select ${USAGE}, decision from gateway_usage where ${inPeriod(filter)} order by at desc, id limit ${limit}`

/**
 * Requests of a period: sums of whole hours, and single requests where the period does not contain the hour. `at` is the
 * begin of the hour or the moment of the request.
 */
const used = (accountId: string, { wholeFrom, wholeTo, except, rows }: Span): SqlPart => part`(
  select hour as at, key_id, model, provider, tier, surface, prompt_above, requests, errors, retried, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_nano, cost, fee, latency_ms
  from gateway_usage_hour
  where account_id = ${accountId} and hour >= ${wholeFrom} and hour < ${wholeTo} and hour <> all(${except}::timestamptz[])
  union all
  select at, key_id, model, provider, tier, surface, gateway_prompt_above(input_tokens), 1,
    (outcome in ('failed', 'partial'))::int, (jsonb_array_length(attempts) > 1)::int, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_nano, cost, fee, latency_ms
  from unnest(${rows.map(({ from }) => from)}::timestamptz[], ${rows.map(({ to }) => to)}::timestamptz[]) as stretch (since, until)
  join gateway_usage on account_id = ${accountId} and at >= since and at < until) used`

export interface Sums {
  requests: bigint
  errors: bigint
  retried: bigint
  inputTokens: bigint
  outputTokens: bigint
  cacheReadTokens: bigint
  reasoningTokens: bigint
  cost: bigint
  fee: bigint
  latencyMs: bigint
}

const sum = (name: SqlPart): SqlPart => part`coalesce(sum(${name}), 0)::bigint as ${name}`
const SUMS = joined(
  [
    part`requests`,
    part`errors`,
    part`retried`,
    part`input_tokens`,
    part`output_tokens`,
    part`cache_read_tokens`,
    part`reasoning_tokens`,
    part`cost`,
    part`fee`,
    part`latency_ms`,
  ].map(sum),
  ', ',
)

export const sums = (accountId: string, span: Span) => sql<Sums>`select ${SUMS} from ${used(accountId, span)}`

/** The most expensive first. */
export const sumsByModel = (accountId: string, span: Span) => sql<
  Sums & { model: string; provider: ProviderId; tier: Tier }
>`
  select model, min(provider) as provider, tier, ${SUMS} from ${used(accountId, span)}
  group by model, tier order by sum(cost) desc, model`

export const sumsByTier = (accountId: string, span: Span) => sql<Sums & { tier: Tier }>`
  select tier, ${SUMS} from ${used(accountId, span)} group by tier`

export const sumsByKey = (accountId: string, span: Span) => sql<Sums & { keyId: string }>`
  select key_id, ${SUMS} from ${used(accountId, span)} group by key_id order by sum(cost) desc, key_id`

/** Tokens of chat requests that have the same price at the baseline model. */
export interface PricedAlike {
  /** How many of the moments `changes` were over. */
  period: number
  /** One moment of them: the hour of the day and the day of the week are those of all. */
  at: Date
  promptAbove: number
  uncached: bigint
  cacheRead: bigint
  cacheWrite: bigint
  output: bigint
  costNano: bigint
}

/** Grouped by the period between `changes`, the length of the prompt and, where the price depends on it, the hour of the week. */
export const tokensPricedAlike = (
  accountId: string,
  span: Span,
  { changes, byHour }: { changes: readonly Date[]; byHour: boolean },
) => sql<PricedAlike>`
  select width_bucket(at, ${changes}::timestamptz[]) as period, min(at) as at, prompt_above,
    sum(input_tokens - cache_read_tokens - cache_write_tokens)::bigint as uncached,
    sum(cache_read_tokens)::bigint as cache_read, sum(cache_write_tokens)::bigint as cache_write,
    sum(output_tokens)::bigint as output, sum(cost_nano)::bigint as cost_nano
  from ${used(accountId, span)} where surface <> 'embeddings'
  group by 1, prompt_above, case when ${byHour} then extract(dow from at at time zone 'UTC') * 24 + extract(hour from at at time zone 'UTC') end`

/** Prices of a model, the oldest first; of those of one moment only the one that applies. */
export const pricesOf = (model: string) => sql<{
  model: string
  validFrom: Date
  input: bigint
  output: bigint
  cacheRead: bigint
  cacheWrite: bigint
  lengthTiers: { above: number; rates: Rates }[]
  peak: { days: number[]; hours: [number, number][]; rates: Rates } | null
}>`
  select distinct on (valid_from) model, valid_from, input, output, cache_read, cache_write, length_tiers, peak
  from gateway_price where model = ${model} order by valid_from, seq desc`
