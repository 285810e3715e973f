import { agentById, isOwner, requireTradable } from '#agents'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { boundAgent, type RequestContext } from '#platform/http/principal'
import { publish } from '#platform/kernel/events'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { enqueueCall } from './call/call.ts'
import { endRun } from './end.ts'
import { runCreated } from './events.ts'
import { CALL_LEASE, FETCH_TIME } from './limits.ts'
import { lockRun, requireBuyer, type LockedRun } from './run.ts'
import { runMachine } from './run-machine.ts'
import { eventOf, type Run } from './sql.ts'

const actorIdOf = (ctx: RequestContext): string => boundAgent(ctx.principal) ?? ctx.principal.accountId

/** The owner of the buying agent approves a run above the threshold: it starts. */
export async function approveRun(
  tx: Tx,
  ctx: RequestContext,
  { id, services }: { id: string; services: Pick<Services, 'jobs'> },
): Promise<Run> {
  const { run } = await lockToDecide(tx, ctx, id)
  const agent = await agentById(tx, run.agentId)
  if (agent) requireTradable(agent)
  const callAt = agent?.ap2Endpoint ? after(tx.now, CALL_LEASE) : null
  const set = { deadlineAt: after(tx.now, FETCH_TIME), callAt }
  const approved = await transition(tx, runMachine, run, {
    event: 'approve',
    by: 'buyer',
    actorId: actorIdOf(ctx),
    set,
  })
  await publish(tx, runCreated, eventOf(approved))
  if (callAt) await enqueueCall(tx, services, approved)
  return approved
}

/** The owner of the buying agent refuses it: the money comes back. */
export async function rejectRun(tx: Tx, ctx: RequestContext, id: string): Promise<Run> {
  return endRun(tx, await lockToDecide(tx, ctx, id), {
    event: 'reject',
    by: 'buyer',
    actorId: actorIdOf(ctx),
  })
}

/** The buyer takes a run back that the agent has not begun. */
export async function cancelRun(tx: Tx, ctx: RequestContext, id: string): Promise<Run> {
  const locked = await lockRun(tx, id)
  await requireBuyer(tx, ctx, { run: locked.run, use: 'spend' })
  return endRun(tx, locked, { event: 'cancel', by: 'buyer', actorId: actorIdOf(ctx) })
}

async function lockToDecide(tx: Tx, ctx: RequestContext, id: string): Promise<LockedRun> {
  const locked = await lockRun(tx, id)
  await requireBuyer(tx, ctx, { run: locked.run, use: 'spend' })
  const { buyerAgentId } = locked.run
  const buyer = buyerAgentId === null ? undefined : await agentById(tx, buyerAgentId)
  if (buyer && !isOwner(ctx, buyer))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent decides what it spends' })
  return locked
}
