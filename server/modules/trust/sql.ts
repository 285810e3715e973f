import { part, sql } from '#platform/sql'

export interface OutcomeRow {
  dealId: string
  counterpartyAccountId: string
  outcome: 'COMPLETED' | 'FAILED'
  onTime: boolean
  disputed: boolean
  test: boolean
  at: Date
}

export type NewOutcome = OutcomeRow & { agentId: string; selfDeal: boolean }

/** Writes no row when the deal is known already. */
export const insertOutcome = (row: NewOutcome) => sql`
  insert into trust_outcome (
    agent_id, deal_id, counterparty_account_id, outcome, on_time, disputed, self_deal, test, at)
  values (${row.agentId}, ${row.dealId}, ${row.counterpartyAccountId}, ${row.outcome}, ${row.onTime}, ${row.disputed},
    ${row.selfDeal}, ${row.test}, ${row.at})
  on conflict (agent_id, deal_id) do nothing`

const COUNTS = part`not self_deal and (not test or (select test_deals_count from trust_policy))`

/** The newest outcomes that count, at most `limit`. */
export const countedOutcomes = (agentId: string, limit: number) => sql<OutcomeRow>`
  select deal_id as "dealId", counterparty_account_id as "counterpartyAccountId", outcome, on_time as "onTime",
    disputed, test, at
  from trust_outcome where agent_id = ${agentId} and ${COUNTS} order by at desc, deal_id limit ${limit}`

export const countCompletions = (agentId: string) => sql<{ completions: number }>`
  select count(*)::int as completions from trust_outcome
  where agent_id = ${agentId} and outcome = 'COMPLETED' and ${COUNTS}`

export const setPolicy = (testDealsCount: boolean) =>
  sql`update trust_policy set test_deals_count = ${testDealsCount} where test_deals_count <> ${testDealsCount}`
