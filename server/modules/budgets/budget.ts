import { IDENTITY, organizations, requireStepUp } from '#identity'
import type { Static } from '#platform/http/type'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { audit } from '#platform/kernel/audit'
import { monthOf, nextMonthOf } from '#platform/kernel/clock'
import type { Snapshot, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { remainingOf } from '#platform/kernel/limit'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { MemberBudgetRecord, OrganizationPolicy, PolicyBody } from './schema.ts'
import * as statements from './sql.ts'
import type { MemberBudget, Policy } from './sql.ts'

const UNLIMITED: Policy = { perTransactionLimit: null, monthlyLimit: null, updatedAt: null }

/** The policy of an organization with what it spent this month; for members. */
export async function readPolicy(q: Snapshot, ctx: RequestContext, slug: string) {
  const { organization } = await organizations.requireMembership(q, ctx, slug)
  const policy = (await q.maybe(statements.policyOf(organization.id))) ?? UNLIMITED
  const { total } = await q.one(statements.spentSince(organization.id, monthOf(q.now)))
  return policyView(policy, total, q.now)
}

/** Replaces the policy, by an OWNER; a limit that is left out is none. Errors: 403 for another role or without step-up. */
export async function replacePolicy(
  tx: Tx,
  ctx: RequestContext,
  { slug, ...body }: Static<typeof PolicyBody> & { slug: string },
) {
  const id = await lockOwned(tx, ctx, slug)
  const before = await tx.one(statements.lockPolicy(id))
  const policy = {
    perTransactionLimit: limitOf('perTransactionLimit', body.perTransactionLimit),
    monthlyLimit: limitOf('monthlyLimit', body.monthlyLimit),
    updatedAt: tx.now,
  }
  await tx.run(statements.setPolicy(id, policy))
  const details = { from: limitsOf(before), to: limitsOf(policy) }
  await audit(tx, ctx, 'organization.policy_set', { target: ['organization', id], details })
  const { total } = await tx.one(statements.spentSince(id, monthOf(tx.now)))
  return policyView(policy, total, tx.now)
}

/** The members with their budgets and what they spent this month, in the order in which they joined; for members. */
export async function listBudgets(q: Snapshot, ctx: RequestContext, slug: string, page: Page) {
  const { organization } = await organizations.requireMembership(q, ctx, slug)
  const rows = await q.rows(statements.memberBudgets(organization.id, monthOf(q.now), page))
  const { counted } = await q.one(statements.countMembers(organization.id, TOTAL_CAP + 1))
  return pageAnswer(
    rows.map(row => budgetView(row, q.now)),
    counted,
    page,
  )
}

/** Sets the budget of a member, by an OWNER; null removes it. Errors: 403 without step-up, 404 for a person who is no member. */
export async function changeBudget(
  tx: Tx,
  ctx: RequestContext,
  { slug, userId, monthlyLimit }: { slug: string; userId: string; monthlyLimit: number | string | null },
) {
  const id = await lockOwned(tx, ctx, slug)
  // Payments lock the policy before they read the budget of the member.
  await tx.one(statements.lockPolicy(id))
  const find = statements.memberBudget(id, userId, monthOf(tx.now))
  const before = isId(userId) ? await tx.maybe(find) : undefined
  if (!before) throw apiError(IDENTITY.MEMBER_NOT_FOUND)
  const limit = limitOf('monthlyLimit', monthlyLimit)
  await tx.run(
    limit === null ? statements.deleteMemberLimit(id, userId) : statements.setMemberLimit(id, userId, limit),
  )
  const details = { userId, from: moneyOrNull(before.monthlyLimit), to: moneyOrNull(limit) }
  await audit(tx, ctx, 'organization.budget_set', { target: ['organization', id], details })
  return budgetView({ ...before, monthlyLimit: limit }, tx.now)
}

async function lockOwned(tx: Tx, ctx: RequestContext, slug: string): Promise<string> {
  const { organization } = await organizations.lockMembership(tx, ctx, slug, ['OWNER'])
  await requireStepUp(tx, ctx, tx.clock.real())
  return organization.id
}

const limitOf = (field: string, amount: number | string | null | undefined): bigint | null =>
  amount === undefined || amount === null ? null : parseAmount(amount, { field, zero: true })

const moneyOrNull = (amount: bigint | null): string | null => (amount === null ? null : formatMoney(amount))

const limitsOf = ({ perTransactionLimit, monthlyLimit }: Policy) => ({
  perTransactionLimit: moneyOrNull(perTransactionLimit),
  monthlyLimit: moneyOrNull(monthlyLimit),
})

const usageView = (limit: bigint | null, spent: bigint, now: Date) => ({
  currency: 'USD' as const,
  spentThisPeriod: formatMoney(spent),
  remaining: moneyOrNull(remainingOf(limit, spent)),
  resetsOn: nextMonthOf(now).toISOString(),
})

const policyView = (policy: Policy, spent: bigint, now: Date): Static<typeof OrganizationPolicy> => ({
  ...limitsOf(policy),
  ...usageView(policy.monthlyLimit, spent, now),
  updatedAt: policy.updatedAt?.toISOString() ?? null,
})

const budgetView = (
  { monthlyLimit, spent, ...member }: MemberBudget,
  now: Date,
): Static<typeof MemberBudgetRecord> => ({
  ...member,
  monthlyLimit: moneyOrNull(monthlyLimit),
  ...usageView(monthlyLimit, spent, now),
})
