import type { Agent } from '#agents'
import { column, joined, part, sql, type SqlPart } from '#platform/kernel/sql'

/** The limits of an agent. Amounts in micro-units; null means no limit. */
export interface Limits {
  agentId: string
  monthlyLimit: bigint | null
  perTransactionLimit: bigint | null
  approvalThreshold: bigint | null
  approvalMode: 'AUTO' | 'MANUAL'
  autoReload: boolean
  /** Of the period that does not end; null while each month is a period. */
  periodStart: Date | null
  perDealLimit: bigint | null
  dailyLimit: bigint | null
  policyThreshold: bigint | null
  /** Ids of agents and accounts; an empty list allows all. */
  allowedCounterparties: string[]
  blockedCounterparties: string[]
  /** An empty list allows all. */
  categories: string[]
  minimumTier: Agent['trustTier']
  policyUpdatedAt: Date | null
}

export const limitsOf = (agentId: string) =>
  sql<Limits>`select * from spending_limit where agent_id = ${agentId}`
export const lockLimitsOf = (agentId: string) =>
  sql<Limits>`select * from spending_limit where agent_id = ${agentId} for update`

/** True if the agent has limits, for a statement of an upper module that reads it with its own rows. `id` may be null. */
export const hasLimits = (id: SqlPart) =>
  part`exists (select from spending_limit where spending_limit.agent_id = ${id})`

/** Locks the limits of an agent, as a column of a statement of an upper module that takes locks of its own. */
export const lockOfLimits = (id: SqlPart) =>
  part`(select 1 from spending_limit where spending_limit.agent_id = ${id} for update)`

/** Columns of the row, created where the agent has no limits. */
export function saveLimits(agentId: string, fields: Partial<Limits>) {
  const entries = Object.entries(fields)
  const names = entries.map(([name]) => column(name))
  const sets = names.map(name => part`${name} = excluded.${name}`)
  return sql<Limits>`
    insert into spending_limit (${joined([part`agent_id`, ...names], ', ')})
    values (${joined([part`${agentId}`, ...entries.map(([, value]) => part`${value}`)], ', ')})
    on conflict (agent_id) do update set ${joined([part`agent_id = excluded.agent_id`, ...sets], ', ')} returning *`
}

/** What an agent spent since two moments, without what came back. */
export const usageOf = (agentId: string, { period, day }: { period: Date; day: Date }) => sql<{
  inPeriod: bigint
  today: bigint
}>`
  select coalesce(sum(amount - returned) filter (where spent_at >= ${period}), 0)::bigint as in_period,
    coalesce(sum(amount - returned) filter (where spent_at >= ${day}), 0)::bigint as today
  from spending_spend where agent_id = ${agentId} and spent_at >= least(${period}::timestamptz, ${day}::timestamptz)`

export interface Spend {
  reference: string
  agentId: string
  amount: bigint
  at: Date
}

/** The record of a spend, for a statement of an upper module that writes its own rows. */
export const insertSpend = ({ reference, agentId, amount, at }: Spend): SqlPart => part`
  insert into spending_spend (reference, agent_id, amount, spent_at) values (${reference}::uuid, ${agentId}::uuid, ${amount}::bigint, ${at}::timestamptz)`

/** What has come back of a spend so far, for the same kind of statement. Changes nothing for an unknown reference. */
export const updateReturned = (reference: string, returned: bigint): SqlPart => part`
  update spending_spend set returned = ${returned}::bigint where reference = ${reference}::uuid`

export const deleteLimitsOf = (accountId: string) => sql`
  delete from spending_limit where agent_id in (select id from agents_agent where owner_id = ${accountId})`
