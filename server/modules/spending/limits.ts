import { isOwner, requireAgent } from '#agents'
import type { Static } from '#platform/http/type'
import { isBound, type RequestContext } from '#platform/http/principal'
import { audit } from '#platform/kernel/audit'
import { monthOf, nextMonthOf } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { remainingOf } from '#platform/kernel/limit'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { Usage } from './plan.ts'
import type { AutonomyPolicy, Budget, BudgetBody, PolicyBody } from './schema.ts'
import { readUsage } from './spending.ts'
import { deleteLimitsOf, limitsOf, lockLimitsOf, saveLimits, type Limits } from './sql.ts'

const unlimited = (agentId: string): Limits => ({
  agentId,
  monthlyLimit: null,
  perTransactionLimit: null,
  approvalThreshold: null,
  approvalMode: 'AUTO',
  autoReload: true,
  periodStart: null,
  perDealLimit: null,
  dailyLimit: null,
  policyThreshold: null,
  allowedCounterparties: [],
  blockedCounterparties: [],
  categories: [],
  minimumTier: 'UNVERIFIED',
  policyUpdatedAt: null,
})

/** The limits of an agent that the caller operates, with what it spent. */
export async function readLimits(q: Queryable, ctx: RequestContext, agentId: string, now: Date) {
  const { id } = await requireAgent(q, ctx, agentId)
  const limits = (await q.maybe(limitsOf(id))) ?? unlimited(id)
  return { limits, usage: await readUsage(q, limits, now) }
}

/** Changes the given fields of the budget, as the owner; null removes a limit. */
export async function changeBudget(
  tx: Tx,
  ctx: RequestContext,
  { id, ...body }: Static<typeof BudgetBody> & { id: string },
) {
  await requireLimitsOwner(tx, ctx, id)
  const before = (await tx.maybe(lockLimitsOf(id))) ?? unlimited(id)
  const { autoReload = before.autoReload } = body
  const limits = await save(tx, ctx, id, {
    ...given('monthlyLimit', body.monthlyLimit),
    ...given('perTransactionLimit', body.perTransactionLimit),
    ...given('approvalThreshold', body.approvalThreshold),
    ...(body.approvalMode === undefined ? {} : { approvalMode: body.approvalMode }),
    autoReload,
    periodStart: autoReload ? null : (before.periodStart ?? monthOf(tx.now)),
  })
  return { limits, usage: await readUsage(tx, limits, tx.now) }
}

/** Replaces the policy, as the owner; fields that are left out have their defaults. */
export async function replacePolicy(
  tx: Tx,
  ctx: RequestContext,
  { id, ...body }: Static<typeof PolicyBody> & { id: string },
) {
  await requireLimitsOwner(tx, ctx, id)
  const limits = await save(tx, ctx, id, {
    perDealLimit: amountOf('perDealLimit', body.perDealLimit),
    dailyLimit: amountOf('dailyLimit', body.dailyLimit),
    policyThreshold: amountOf('approvalThreshold', body.approvalThreshold),
    allowedCounterparties: idsOf('allowedCounterparties', body.allowedCounterparties),
    blockedCounterparties: idsOf('blockedCounterparties', body.blockedCounterparties),
    categories: [...new Set(body.categories ?? [])],
    minimumTier: body.minimumCounterpartyTier ?? 'UNVERIFIED',
    policyUpdatedAt: tx.now,
  })
  return { limits, usage: await readUsage(tx, limits, tx.now) }
}

async function save(tx: Tx, ctx: RequestContext, id: string, fields: Partial<Limits>): Promise<Limits> {
  await audit(tx, ctx, 'agent.limits_set', { target: ['agent', id] })
  return tx.one(saveLimits(id, fields))
}

/** Erases the limits of the agents of an account that is being deleted. */
export async function eraseLimitsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.run(deleteLimitsOf(accountId))
}

// Neither the creator nor a key of the agent may widen what the owner has set.
async function requireLimitsOwner(tx: Tx, ctx: RequestContext, id: string): Promise<void> {
  const agent = await requireAgent(tx, ctx, id)
  if (!isOwner(ctx, agent) || isBound(ctx.principal))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can set its budget and policy' })
}

type Amount = number | string | null | undefined

const amountOf = (field: string, amount: Amount): bigint | null =>
  amount === undefined || amount === null ? null : parseAmount(amount, { field, zero: true })

const given = (field: keyof Limits, amount: Amount): Partial<Limits> =>
  amount === undefined ? {} : { [field]: amountOf(field, amount) }

function idsOf(field: string, ids: readonly string[] = []): string[] {
  const unknown = ids.find(id => !isId(id))
  if (unknown !== undefined) throw invalid(`${field} must contain ids of agents or accounts`)
  return [...new Set(ids.map(id => id.toLowerCase()))]
}

const moneyOrNull = (amount: bigint | null): string | null => (amount === null ? null : formatMoney(amount))

export const budgetView = (
  { limits, usage }: { limits: Limits; usage: Usage },
  now: Date,
): Static<typeof Budget> => ({
  agentId: limits.agentId,
  currency: 'USD',
  monthlyLimit: moneyOrNull(limits.monthlyLimit),
  perTransactionLimit: moneyOrNull(limits.perTransactionLimit),
  approvalThreshold: moneyOrNull(limits.approvalThreshold),
  approvalMode: limits.approvalMode,
  autoReload: limits.autoReload,
  remaining: moneyOrNull(remainingOf(limits.monthlyLimit, usage.inPeriod)),
  spentThisPeriod: formatMoney(usage.inPeriod),
  resetsOn: limits.autoReload ? nextMonthOf(now).toISOString() : null,
})

export const policyView = ({
  limits,
  usage,
}: {
  limits: Limits
  usage: Usage
}): Static<typeof AutonomyPolicy> => ({
  agentId: limits.agentId,
  perDealLimit: moneyOrNull(limits.perDealLimit),
  dailyLimit: moneyOrNull(limits.dailyLimit),
  spentToday: formatMoney(usage.today),
  approvalThreshold: moneyOrNull(limits.policyThreshold),
  allowedCounterparties: limits.allowedCounterparties,
  blockedCounterparties: limits.blockedCounterparties,
  categories: limits.categories,
  minimumCounterpartyTier: limits.minimumTier,
  updatedAt: limits.policyUpdatedAt?.toISOString() ?? null,
})
