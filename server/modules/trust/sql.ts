import { part, sql } from '#platform/sql'

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

/** Writes no row when the deal is known already. */
export const insertOutcome = (row: NewOutcome) => sql`
  insert into trust_outcome (
    agent_id, deal_id, counterparty_account_id, outcome, on_time, disputed, self_deal, test, amount, at)
  values (${row.agentId}, ${row.dealId}, ${row.counterpartyAccountId}, ${row.outcome}, ${row.onTime}, ${row.disputed},
    ${row.selfDeal}, ${row.test}, ${row.amount}, ${row.at})
  on conflict (agent_id, deal_id) do nothing`

const COUNTS = part`not self_deal and (not test or (select test_deals_count from trust_policy))`

/** The newest outcomes that count, at most `limit`. */
export const countedOutcomes = (agentId: string, limit: number) => sql<OutcomeRow>`
  select deal_id as "dealId", counterparty_account_id as "counterpartyAccountId", outcome, on_time as "onTime",
    disputed, test, amount, at
  from trust_outcome where agent_id = ${agentId} and ${COUNTS} order by at desc, deal_id limit ${limit}`

/** All completions that count, and those large enough for a tier. */
export const countCompletions = (agentId: string) => sql<{ completions: number; forTier: number }>`
  select count(*)::int as completions,
    (count(*) filter (where amount >= (select min_completion from trust_policy)))::int as "forTier"
  from trust_outcome where agent_id = ${agentId} and outcome = 'COMPLETED' and ${COUNTS}`

/** `minCompletion` in micro-units. */
export const setPolicy = (testDealsCount: boolean, minCompletion: bigint) => sql`
  update trust_policy set test_deals_count = ${testDealsCount}, min_completion = ${minCompletion}
  where (test_deals_count, min_completion) <> (${testDealsCount}::boolean, ${minCompletion}::bigint)`
