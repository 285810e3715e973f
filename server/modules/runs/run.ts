import { canOperate, isOwner, type Agent } from '#agents'
import { organizations } from '#identity'
import { runDeals } from '#ap2'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { boundAgent, isBound, type RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { RUNS } from './errors.ts'
import * as statements from './sql.ts'
import type { Run } from './sql.ts'

/** A run that is locked, with its deal if it has a price. */
export interface LockedRun {
  run: Run
  deal: runDeals.RunDeal | null
}

/** Locks a run after its deal (ADR 2). ApiError 404 `Run not found`. */
export async function lockRun(tx: Tx, id: string): Promise<LockedRun> {
  const { escrowId } = await requireRun(tx, id)
  const deal = escrowId ? await runDeals.lockRunDeal(tx, escrowId) : null
  return { deal, run: await tx.one(statements.lockRun(id)) }
}

/** The run, or ApiError 404 `Run not found`. */
export async function requireRun(q: Queryable, id: string): Promise<Run> {
  const run = isId(id) ? await q.maybe(statements.runById(id)) : undefined
  if (!run) throw apiError(RUNS.RUN_NOT_FOUND)
  return run
}

/**
 * 403 unless the caller is the buyer: the account, its agent's owner, or who acts for the organization that pays. To `spend`
 * is to decide what becomes of the price, which a MEMBER of the organization may not.
 */
export async function requireBuyer(
  q: Queryable,
  ctx: RequestContext,
  { run, use }: { run: Run; use: 'read' | 'spend' },
): Promise<void> {
  if (await isBuyer(q, ctx, { run, use })) return
  const hint =
    run.buyerOrganizationId !== null && use === 'spend'
      ? 'Requires the role OWNER or ADMIN in the organization that pays'
      : 'The run belongs to another account'
  throw apiError(COMMON.FORBIDDEN, { hint })
}

async function isBuyer(
  q: Queryable,
  ctx: RequestContext,
  { run, use }: { run: Run; use: 'read' | 'spend' },
): Promise<boolean> {
  const { principal } = ctx
  const agentId = boundAgent(principal)
  if (agentId !== null) return run.buyerAgentId === agentId && run.buyerAccountId === principal.accountId
  if (run.buyerOrganizationId !== null)
    return organizations.actsForOrganization(q, ctx, run.buyerOrganizationId, use)
  return !isBound(principal) && run.buyerAccountId === principal.accountId
}

/** The claimer of an agent decides and reads from now on what the agent has bought and is not settled. Ended runs stay. */
export async function moveRunsOfClaimedAgent(
  tx: Tx,
  { agentId, accountId }: { agentId: string; accountId: string },
): Promise<void> {
  await tx.run(statements.moveRunsToOwner(agentId, accountId))
}

/** Whether the caller may decide for the buying agent, or bought the run itself. */
export const mayDecide = (ctx: RequestContext, buyerAgent: Agent | undefined): boolean =>
  buyerAgent === undefined || isOwner(ctx, buyerAgent)

export const isSeller = (ctx: RequestContext, agent: Agent): boolean => canOperate(ctx, agent)
