import { part, sql } from '#platform/kernel/sql'

export interface OutcomeRow {
  generationId: string
  accountId: string
  model: string
  kind: string
  score: number
  comment: string | null
  createdAt: Date
  updatedAt: Date
}

const OUTCOME = part`generation_id, account_id, model, kind, score, comment, created_at, updated_at`

/** What an outcome is about. */
export const ratedGeneration = (id: string) => sql<{ accountId: string; model: string; kind: string | null }>`
  select account_id, model, decision->>'kind' as kind from gateway_usage where id = ${id}`

/** The outcome of a generation, which replaces an earlier one. */
export const upsertOutcome = (
  outcome: Omit<OutcomeRow, 'createdAt' | 'updatedAt'> & { now: Date },
) => sql<OutcomeRow>`
  insert into gateway_outcome (generation_id, account_id, model, kind, score, comment, created_at, updated_at)
  values (${outcome.generationId}, ${outcome.accountId}, ${outcome.model}, ${outcome.kind}, ${outcome.score},
    ${outcome.comment}, ${outcome.now}, ${outcome.now})
  on conflict (generation_id) do update set score = excluded.score, comment = excluded.comment,
    updated_at = excluded.updated_at, recorded_at = clock_timestamp()
  returning ${OUTCOME}`

/** Those that changed last come first. */
export const outcomesOf = (
  accountId: string,
  { before, limit }: { before: { at: Date; id: string } | null; limit: number },
) => sql<OutcomeRow>`
  select ${OUTCOME} from gateway_outcome
  where account_id = ${accountId} and (${before?.at ?? null}::timestamptz is null or updated_at < ${before?.at ?? null}
    or (updated_at = ${before?.at ?? null} and generation_id > ${before?.id ?? null}))
  order by updated_at desc, generation_id limit ${limit}`

/** Weighted sums of the scores; an outcome counts half after `halfLifeDays`. */
export const scoresOf = (accountIds: readonly string[], halfLifeDays: number, now: Date) => sql<{
  accountId: string
  model: string
  kind: string
  weight: number
  score: number
}>`
  select account_id, model, kind, sum(weight)::float8 as weight, sum(weight * score)::float8 as score from (
    select account_id, model, kind, score,
      power(0.5, greatest(extract(epoch from ${now}::timestamptz - updated_at), 0)::float8 / 86400 / ${halfLifeDays}) as weight
    from gateway_outcome where account_id = any(${accountIds}::uuid[])) weighted
  group by account_id, model, kind`

/** Accounts with outcomes that were written in the last seconds, by the clock of the database. */
export const accountsWithNewOutcomes = (seconds: number) => sql<{ accountId: string }>`
  select distinct account_id from gateway_outcome where recorded_at > clock_timestamp() - make_interval(secs => ${seconds})`

export const eraseComments = (accountId: string) => sql`
  update gateway_outcome set comment = null where account_id = ${accountId} and comment is not null`
