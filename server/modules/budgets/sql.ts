import { part, sql, type SqlPart } from '#platform/kernel/sql'

/** In micro-units; null allows all. */
export interface Policy {
  perTransactionLimit: bigint | null
  monthlyLimit: bigint | null
  updatedAt: Date | null
}

const POLICY = part`per_transaction_limit, monthly_limit, updated_at`

export const policyOf = (organizationId: string) =>
  sql<Policy>`select ${POLICY} from budgets_policy where organization_id = ${organizationId}`

/** Locks the policy of an organization, and creates its row where there is none. */
export const lockPolicy = (organizationId: string) => sql<Policy>`
  insert into budgets_policy (organization_id) values (${organizationId})
  on conflict (organization_id) do update set organization_id = excluded.organization_id returning ${POLICY}`

export const setPolicy = (organizationId: string, policy: Policy) => sql`
  update budgets_policy set per_transaction_limit = ${policy.perTransactionLimit}, monthly_limit = ${policy.monthlyLimit},
    updated_at = ${policy.updatedAt}
  where organization_id = ${organizationId}`

interface Usage {
  /** What all members spent, and what the member alone did, without what came back. */
  total: bigint
  own: bigint
  memberLimit: bigint | null
}

export const usageOf = (of: { organizationId: string; accountId: string; since: Date }) => sql<Usage>`
  select coalesce(sum(amount - returned), 0)::bigint as total,
    coalesce(sum(amount - returned) filter (where account_id = ${of.accountId}), 0)::bigint as own,
    (select monthly_limit from budgets_member
      where organization_id = ${of.organizationId} and account_id = ${of.accountId}) as member_limit
  from budgets_spend where organization_id = ${of.organizationId} and spent_at >= ${of.since}`

export const spentSince = (organizationId: string, since: Date) => sql<{ total: bigint }>`
  select coalesce(sum(amount - returned), 0)::bigint as total
  from budgets_spend where organization_id = ${organizationId} and spent_at >= ${since}`

interface Spend {
  reference: string
  organizationId: string
  accountId: string
  amount: bigint
  at: Date
}

export const insertSpend = ({ reference, organizationId, accountId, amount, at }: Spend): SqlPart => part`
  insert into budgets_spend (reference, organization_id, account_id, amount, spent_at)
  values (${reference}, ${organizationId}, ${accountId}, ${amount}, ${at})`

/** What has come back of a payment so far, for a statement that writes other rows too. Changes nothing for an unknown reference. */
export const updateReturned = (reference: string, returned: bigint): SqlPart => part`
  update budgets_spend set returned = ${returned}::bigint where reference = ${reference}::uuid`

export interface MemberBudget {
  userId: string
  username: string | null
  displayName: string | null
  role: 'OWNER' | 'ADMIN' | 'MEMBER'
  monthlyLimit: bigint | null
  spent: bigint
}

// The members of an organization with their budgets and what they spent since a moment, which is summed up once for all.
const budgets = (organizationId: string, since: Date) => part`
  select m.account_id as user_id, a.username, a.display_name, m.role, b.monthly_limit, coalesce(s.spent, 0)::bigint as spent
  from identity_member m join identity_account a on a.id = m.account_id
    left join budgets_member b on b.organization_id = m.organization_id and b.account_id = m.account_id
    left join (select account_id, sum(amount - returned) as spent from budgets_spend
      where organization_id = ${organizationId} and spent_at >= ${since} group by account_id) s on s.account_id = m.account_id
  where m.organization_id = ${organizationId}`

/** In the order in which they joined. */
export const memberBudgets = (
  organizationId: string,
  since: Date,
  page: { limit: number; offset: number },
) => sql<MemberBudget>`
  ${budgets(organizationId, since)} order by m.joined_at, m.account_id limit ${page.limit} offset ${page.offset}`

export const countMembers = (organizationId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from identity_member where organization_id = ${organizationId}
  limit ${atMost}) capped`

export const memberBudget = (organizationId: string, accountId: string, since: Date) =>
  sql<MemberBudget>`${budgets(organizationId, since)} and m.account_id = ${accountId}`

export const setMemberLimit = (organizationId: string, accountId: string, limit: bigint) => sql`
  insert into budgets_member (organization_id, account_id, monthly_limit) values (${organizationId}, ${accountId}, ${limit})
  on conflict (organization_id, account_id) do update set monthly_limit = excluded.monthly_limit`

export const deleteMemberLimit = (organizationId: string, accountId: string) => sql`
  delete from budgets_member where organization_id = ${organizationId} and account_id = ${accountId}`
