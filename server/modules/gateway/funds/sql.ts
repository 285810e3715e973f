import { json, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { Budget } from './budget.ts'
import type { LeaseStatus } from './lease-machine.ts'

export interface LeaseRow {
  id: string
  accountId: string
  test: boolean
  status: LeaseStatus
  epoch: number
  isExpired: boolean
}

const columns = part`id, account_id, test, status, epoch, expires_at <= clock_timestamp() as is_expired`
const expiry = (leaseMs: number): SqlPart =>
  part`clock_timestamp() + ${leaseMs}::bigint * interval '1 millisecond'`

/** In the order of their ids, so that two batches do not deadlock. */
export const lockLeases = (ids: readonly string[]) => sql<LeaseRow>`
  select ${columns} from gateway_lease where id = any(${ids}::uuid[]) order by id for update`

export const lockOpenLeasesOf = (accountId: string) => sql<LeaseRow>`
  select ${columns} from gateway_lease where account_id = ${accountId} and status = 'OPEN' order by id for update`

export const insertLease = (
  { id, accountId, test, now }: { id: string; accountId: string; test: boolean; now: Date },
  leaseMs: number,
) => sql`
  insert into gateway_lease (id, account_id, test, epoch, expires_at, updated_at)
  values (${id}, ${accountId}, ${test}, 1, ${expiry(leaseMs)}, ${now})`

/** After a journal of each: the next number, and a new time. A closed lease gets the number only. */
export const advanceLeases = (ids: readonly string[], leaseMs: number) => sql`
  update gateway_lease set epoch = epoch + 1,
    expires_at = case when status = 'OPEN' then ${expiry(leaseMs)} else expires_at end
  where id = any(${ids}::uuid[])`

export const advanceEpoch = (id: string) => sql`update gateway_lease set epoch = epoch + 1 where id = ${id}`

/** The ids of those that are open: the others were closed by another process. */
export const renewLeases = (ids: readonly string[], leaseMs: number) => sql<{ id: string }>`
  update gateway_lease set expires_at = ${expiry(leaseMs)}
  where id in (select id from gateway_lease where id = any(${ids}::uuid[]) and status = 'OPEN' order by id for update)
  returning id`

/** Open leases of the account at other instances, which may return something. */
export const otherLeases = (accountId: string, leaseId: string | null) => sql<{ id: string }>`
  select id from gateway_lease
  where account_id = ${accountId} and status = 'OPEN' and id is distinct from ${leaseId}::uuid and expires_at > clock_timestamp()`

/** Without those of `skip`, which must not use up the places of the others. */
export const expiredLeases = (atMost: number, skip: readonly string[]) => sql<{ id: string }>`
  select id from gateway_lease
  where status = 'OPEN' and expires_at <= clock_timestamp() and id <> all(${skip}::uuid[])
  order by expires_at limit ${atMost}`

export const openLeasesOf = (accountId: string) => sql<{ id: string; test: boolean }>`
  select id, test from gateway_lease where account_id = ${accountId} and status = 'OPEN'`

export const insertBudgets = (budgets: readonly Budget[]) => sql`
  insert into gateway_budget (id, account_id, key_id, ends_at)
  select * from unnest(${budgets.map(each => each.id)}::text[], ${budgets.map(each => each.accountId)}::uuid[],
    ${budgets.map(each => each.keyId)}::uuid[], ${budgets.map(each => each.endsAt)}::timestamptz[]) as b (id, account_id, key_id, ends_at)
  order by id on conflict do nothing`

/**
 * Counts what a key has cost since the begin of each period in its budget, which may have missed it: nothing counts in a
 * budget while the key has no such limit.
 */
export const countCostBefore = (budgets: readonly (Budget & { beginsAt: Date })[]) => sql`
  insert into gateway_budget (id, account_id, key_id, ends_at, spent)
  select id, b.account_id, b.key_id, ends_at, coalesce(sum(cost + fee), 0)::bigint
  from unnest(${budgets.map(each => each.id)}::text[], ${budgets.map(each => each.accountId)}::uuid[],
      ${budgets.map(each => each.keyId)}::uuid[], ${budgets.map(each => each.beginsAt)}::timestamptz[],
      ${budgets.map(each => each.endsAt)}::timestamptz[]) as b (id, account_id, key_id, begins_at, ends_at)
    left join gateway_usage_hour u
      on u.account_id = b.account_id and u.key_id = b.key_id and hour >= begins_at and hour < ends_at
  group by id, b.account_id, b.key_id, ends_at order by id
  on conflict (id) do update set spent = greatest(gateway_budget.spent, excluded.spent)`

export const lockBudgets = (ids: readonly string[]) => sql<{ id: string; spent: bigint; allotted: bigint }>`
  select id, spent, allotted from gateway_budget where id = any(${ids}::text[]) order by id for update`

/** Locks the budgets of leases, for a statement that changes what is allotted to them. */
export const lockBudgetsOfLease = (leaseId: string) => sql`
  select from gateway_budget where id in (select budget_id from gateway_budget_block where lease_id = ${leaseId})
  order by id for update`

/** A change of what a lease may spend of a budget; `spent` of it was charged. */
export interface BudgetChange {
  leaseId: string
  budgetId: string
  /** Micro-USD, below zero where the block gets smaller. */
  amount: bigint
  spent: bigint
}

/** The budgets must be locked. */
export const changeBudgets = (changes: readonly BudgetChange[]) => sql`
  with change as (
    select * from unnest(${changes.map(each => each.leaseId)}::uuid[], ${changes.map(each => each.budgetId)}::text[],
      ${changes.map(each => each.amount)}::bigint[], ${changes.map(each => each.spent)}::bigint[]) as c (lease_id, budget_id, amount, spent)
  ), budget as (
    update gateway_budget b set allotted = b.allotted + c.amount, spent = b.spent + c.spent
    from (select budget_id, sum(amount)::bigint as amount, sum(spent)::bigint as spent from change group by budget_id) c
    where b.id = c.budget_id
  ), taken as (
    insert into gateway_budget_block (lease_id, budget_id, amount) select lease_id, budget_id, 0 from change where amount > 0
    on conflict do nothing
  )
  select`

export const changeBudgetBlocks = (changes: readonly BudgetChange[]) => sql`
  update gateway_budget_block b set amount = b.amount + c.amount
  from unnest(${changes.map(each => each.leaseId)}::uuid[], ${changes.map(each => each.budgetId)}::text[],
    ${changes.map(each => each.amount)}::bigint[]) as c (lease_id, budget_id, amount)
  where b.lease_id = c.lease_id and b.budget_id = c.budget_id`

/** Blocks of a lease, which must be locked, from which all was spent or returned: a budget with a block cannot be deleted. */
export const deleteEmptyBlocks = (leaseId: string, budgetIds: readonly string[]) => sql`
  delete from gateway_budget_block where lease_id = ${leaseId} and budget_id = any(${budgetIds}::text[]) and amount = 0`

/** Gives back all that a lease may spend of budgets; they must be locked. */
export const returnBudgetsOfLease = (leaseId: string) => sql`
  with returned as (delete from gateway_budget_block where lease_id = ${leaseId} returning budget_id, amount)
  update gateway_budget b set allotted = b.allotted - r.amount from returned r where b.id = r.budget_id`

/**
 * A budget that no lease spends. A delete that waited for a lease reads its row again, but not the blocks: a block that the
 * lease took meanwhile shows in `allotted` only.
 */
const isUnused = part`b.allotted = 0 and not exists (select from gateway_budget_block where budget_id = b.id)`

/** Budgets of periods that have ended, unless a lease still spends them. One that is locked is left to the next round. */
export const deleteEndedBudgets = (before: Date) => sql`
  delete from gateway_budget where id in (
    select id from gateway_budget b where ends_at < ${before} and ${isUnused} for update skip locked)`

export const deleteBudgetsOf = (accountId: string) => sql`
  delete from gateway_budget b where account_id = ${accountId} and ${isUnused}`

export const notify = (channel: string, message: object) =>
  sql`select pg_notify(${channel}, ${json(message)})`
