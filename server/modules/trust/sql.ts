import { json, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { TrustTier } from './tier.ts'

export interface OutcomeRow {
  dealId: string
  counterpartyAccountId: string
  outcome: 'COMPLETED' | 'FAILED'
  onTime: boolean
  disputed: boolean
  test: boolean
  /** Gross, in micro-units. */
  amount: bigint
  at: Date
}

export type NewOutcome = OutcomeRow & { agentId: string; selfDeal: boolean }

export interface Policy {
  /** Deals in test credit count. */
  testDealsCount: boolean
  /** The least amount that counts for a tier, in micro-units. */
  minCompletion: bigint
}

/** What an agent has earned by its deals. */
export interface Standing {
  /** Completions that count. */
  completions: number
  /** Of these, the ones large enough for a tier. */
  forTier: number
  selfDeals: number
  testDeals: number
}

export const REASONS = [
  'DEAL_COMPLETED',
  'DEAL_FAILED',
  'CHARGEBACK',
  'CLAIMED',
  'REVIEW',
  'CERTIFICATION',
  'AGE',
  'POLICY',
] as const
export type Reason = (typeof REASONS)[number]

export interface Change {
  reason: Reason
  dealId: string | null
  tierFrom: TrustTier
  tierTo: TrustTier
  scoreFrom: number
  scoreTo: number
}

/** The standing of an agent, the policy, and whether the outcome of a deal has been recorded. One row. */
export const standingOf = (agentId: string | SqlPart, dealId: string | SqlPart | null) => sql<
  Standing & Policy & { isRecorded: boolean }
>`
  select p.test_deals_count, p.min_completion, coalesce(s.completions, 0) as completions,
    coalesce(s.for_tier, 0) as for_tier, coalesce(s.self_deals, 0) as self_deals,
    coalesce(s.test_deals, 0) as test_deals,
    exists (select from trust_outcome where agent_id = ${agentId} and deal_id = ${dealId}::uuid) as is_recorded
  from (select * from trust_policy limit 1) p left join trust_standing s on s.id = ${agentId}`

/** At most this often the score of one agent is computed. */
const EVERY = part`interval '5 seconds'`

const historyInsert = (row: Change & { id: string; agentId: string; at: Date }) => part`
  insert into trust_history (id, agent_id, reason, deal_id, tier_from, tier_to, score_from, score_to, at)
  values (${row.id}, ${row.agentId}, ${row.reason}, ${row.dealId}::uuid, ${row.tierFrom}, ${row.tierTo},
    ${row.scoreFrom}, ${row.scoreTo}, ${row.at})`

export const insertHistory = (row: Parameters<typeof historyInsert>[0]) => sql`${historyInsert(row)}`

interface NewStanding {
  standing: Standing
  reason: Reason
  /** The score is to be computed. */
  isNews: boolean
  history: Parameters<typeof historyInsert>[0] | null
}

/** Writes an outcome, the standing after it and the change of tier, in one statement. */
export const insertOutcome = (row: NewOutcome, { standing, reason, isNews, history }: NewStanding) => sql`
  with outcome as (insert into trust_outcome (
    agent_id, deal_id, counterparty_account_id, outcome, on_time, disputed, self_deal, test, amount, at)
  values (${row.agentId}, ${row.dealId}, ${row.counterpartyAccountId}, ${row.outcome}, ${row.onTime}, ${row.disputed},
    ${row.selfDeal}, ${row.test}, ${row.amount}, ${row.at}))${
      history ? part`, history as (${historyInsert(history)})` : part``
    }
  insert into trust_standing as s (id, completions, for_tier, self_deals, test_deals, evaluate_at, reason, deal_id)
  values (${row.agentId}, ${standing.completions}, ${standing.forTier}, ${standing.selfDeals}, ${standing.testDeals},
    case when ${isNews}::boolean then ${row.at}::timestamptz end, ${reason}, ${row.dealId})
  on conflict (id) do update set completions = excluded.completions, for_tier = excluded.for_tier,
    self_deals = excluded.self_deals, test_deals = excluded.test_deals,
    reason = case when excluded.evaluate_at is null then s.reason else excluded.reason end,
    deal_id = case when excluded.evaluate_at is null then s.deal_id else excluded.deal_id end,
    evaluate_at = case when excluded.evaluate_at is null then s.evaluate_at
      else least(s.evaluate_at, greatest(excluded.evaluate_at, s.evaluated_at + ${EVERY})) end`

/** The score is to be computed because certificates changed. */
export const requestEvaluation = (agentId: string, now: Date) => sql`
  insert into trust_standing as s (id, evaluate_at, reason) values (${agentId}, ${now}, 'CERTIFICATION')
  on conflict (id) do update set reason = 'CERTIFICATION', deal_id = null,
    evaluate_at = least(s.evaluate_at, greatest(excluded.evaluate_at, s.evaluated_at + ${EVERY}))`

const COUNTS = part`not o.self_deal and not o.charged_back and (not o.test or (select test_deals_count from trust_policy limit 1))`
/** Deals with accounts that control the agent now. */
const OWNERS = part`(select unnest(array[a.owner_id, a.creator_id]) from agents_agent a where a.id = o.agent_id)`

const OUTCOME = part`o.deal_id, o.counterparty_account_id, o.outcome, o.on_time, o.disputed, o.test, o.amount, o.at`

/** The newest outcomes that count, at most `limit`. */
export const countedOutcomes = (agentId: string, limit: number) => sql<OutcomeRow>`
  select ${OUTCOME} from trust_outcome o
  where o.agent_id = ${agentId} and ${COUNTS} and o.counterparty_account_id <> all(${OWNERS})
  order by o.at desc, o.deal_id limit ${limit}`

export type Exclusion = 'SELF_DEAL' | 'TEST_CREDIT' | 'CHARGED_BACK'

// Deals with oneself and others have an index each.
const newestOutcomes = (
  agentId: string,
  condition: SqlPart,
  limit: number,
) => part`(select * from trust_outcome o
  where o.agent_id = ${agentId} and ${condition} order by o.at desc limit ${limit})`

/** Of the newest outcomes those that do not count, with the reason. */
export const excludedOutcomes = (agentId: string, limit: number) => sql<
  OutcomeRow & { exclusion: Exclusion }
>`
  select * from (select ${OUTCOME}, case when o.self_deal or o.counterparty_account_id = any(${OWNERS}) then 'SELF_DEAL'
      when o.charged_back then 'CHARGED_BACK'
      when o.test and not (select test_deals_count from trust_policy limit 1) then 'TEST_CREDIT' end as exclusion
    from (${newestOutcomes(agentId, part`o.self_deal`, 10 * limit)}
      union all ${newestOutcomes(agentId, part`not o.self_deal`, 10 * limit)}) o
    order by o.at desc limit ${10 * limit}) newest
  where exclusion is not null order by at desc, deal_id limit ${limit}`

export interface EvaluationRow extends Pick<Standing, 'completions' | 'forTier'> {
  isDue: boolean
  reason: Reason | null
  dealId: string | null
}
/** Locks it: what is requested while the score is computed comes after it. */
export const dueEvaluation = (agentId: string, now: Date) => sql<EvaluationRow>`
  select evaluate_at is not null and evaluate_at <= ${now} as is_due, reason, deal_id, completions, for_tier
  from trust_standing where id = ${agentId} for no key update`

export const setEvaluated = (
  agentId: string,
  { returned, now, next }: { returned: ReadonlyMap<string, number>; now: Date; next: Date | null },
) => sql`
  update trust_standing set returned = ${json(Object.fromEntries(returned))}::jsonb, evaluated_at = ${now},
    evaluate_at = ${next}, reason = null, deal_id = null where id = ${agentId}`

export const returnedTo = (agentId: string) => sql<{ returned: Record<string, number> }>`
  select returned from trust_standing where id = ${agentId}`

/** The money of a completed deal was lost. A row if it was not known. */
export const setChargedBack = (agentId: string, dealId: string) => sql<{ dealId: string }>`
  update trust_outcome set charged_back = true
  where agent_id = ${agentId} and deal_id = ${dealId} and outcome = 'COMPLETED' and not charged_back returning deal_id`

/** `minCompletion` in micro-units. A row if it was changed. */
export const setPolicy = (testDealsCount: boolean, minCompletion: bigint) => sql<{ changed: true }>`
  update trust_policy set test_deals_count = ${testDealsCount}, min_completion = ${minCompletion}
  where (test_deals_count, min_completion) <> (${testDealsCount}::boolean, ${minCompletion}::bigint)
  returning true as changed`

/** Counts again: all agents after a change of the policy, or one that has another owner. */
export const recount = (
  reason: Reason,
  now: Date,
  { agentId = null, dealId = null }: { agentId?: string | null; dealId?: string | null } = {},
) => sql`
  insert into trust_standing as s (id, completions, for_tier, self_deals, test_deals, evaluate_at, reason, deal_id)
  select agent_id, count(*) filter (where counts and outcome = 'COMPLETED'),
    count(*) filter (where counts and outcome = 'COMPLETED' and amount >= min_completion),
    count(*) filter (where self), count(*) filter (where test and not self), ${now}::timestamptz, ${reason},
    ${dealId}::uuid
  from (select o.*, p.min_completion, own.self,
      not own.self and not o.charged_back and (not o.test or p.test_deals_count) as counts
    from trust_outcome o cross join (select * from trust_policy limit 1) p
      cross join lateral (select o.self_deal or o.counterparty_account_id = any(${OWNERS}) as self) own
    where ${agentId}::uuid is null or o.agent_id = ${agentId}::uuid) o group by agent_id
  on conflict (id) do update set completions = excluded.completions, for_tier = excluded.for_tier,
    self_deals = excluded.self_deals, test_deals = excluded.test_deals, evaluate_at = excluded.evaluate_at,
    reason = excluded.reason, deal_id = excluded.deal_id`

export interface PaymentRow {
  payer: string
  payee: string
  /** In USD; half as much for every 90 days. */
  amount: number
}

const PAYMENTS = (now: Date) => part`sum(o.amount / 1e6
  * power(0.5::float8, extract(epoch from ${now}::timestamptz - o.at)::float8 / 7776000))::float8 as amount`

/** What each of some accounts paid in its newest deals, by the owner of the agent that it paid. */
export const paymentsBy = (accounts: readonly string[], limit: number, now: Date) => sql<PaymentRow>`
  select payer.id as payer, a.owner_id as payee, ${PAYMENTS(now)}
  from unnest(${accounts}::uuid[]) as payer(id) cross join lateral (
    select o.* from trust_outcome o
    where o.counterparty_account_id = payer.id and o.outcome = 'COMPLETED' and ${COUNTS}
    order by o.at desc limit ${limit}) o
  join agents_agent a on a.id = o.agent_id
  where a.owner_id <> payer.id group by payer.id, a.owner_id order by payer.id, a.owner_id`

/** What some accounts paid to agents of one owner. */
export const paymentsTo = (
  owner: string,
  accounts: readonly string[],
  limit: number,
  now: Date,
) => sql<PaymentRow>`
  select o.counterparty_account_id as payer, a.owner_id as payee, ${PAYMENTS(now)}
  from agents_agent a cross join lateral (
    select o.* from trust_outcome o
    where o.agent_id = a.id and o.outcome = 'COMPLETED' and ${COUNTS} order by o.at desc limit ${limit}) o
  where a.owner_id = ${owner} and o.counterparty_account_id = any(${accounts}::uuid[])
  group by o.counterparty_account_id, a.owner_id order by o.counterparty_account_id`

export interface HistoryRow extends Change {
  id: string
  at: Date
}

export const historyOf = (agentId: string, page: { limit: number; offset: number }) => sql<HistoryRow>`
  select id, reason, deal_id, tier_from, tier_to, score_from, score_to, at from trust_history
  where agent_id = ${agentId} order by id desc limit ${page.limit} offset ${page.offset}`

export const countHistory = (agentId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from trust_history where agent_id = ${agentId} limit ${atMost}) capped`

export const setPassportsRevoked = (agentId: string, now: Date) => sql`
  insert into trust_standing (id, passports_revoked_at) values (${agentId}, ${now})
  on conflict (id) do update set passports_revoked_at = excluded.passports_revoked_at`

export const passportsRevokedAt = (agentId: string) => sql<{ passportsRevokedAt: Date | null }>`
  select passports_revoked_at from trust_standing where id = ${agentId}`

export const countDisputes = (agentId: string, atMost: number) => sql<{ disputes: number }>`
  select count(*) filter (where disputed)::int as disputes from (select o.disputed from trust_outcome o
  where o.agent_id = ${agentId} and ${COUNTS} and o.counterparty_account_id <> all(${OWNERS})
  order by o.at desc limit ${atMost}) newest`
