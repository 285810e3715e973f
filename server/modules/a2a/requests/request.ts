import { agentById, requireAgent, requireOpenTo, requireTradable } from '#agents'
import { limitJsonSize } from '#ap2'
import { IDENTITY } from '#identity'
import { after, HOUR } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import { publish } from '#platform/kernel/events'
import { isId, newId } from '#platform/kernel/id'
import { transition, type Transition } from '#platform/kernel/machine'
import { json } from '#platform/kernel/sql'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { boundAgent, type RequestContext } from '#platform/http/principal'
import { A2A } from '../errors.ts'
import { a2aRequested, a2aRequestEnded } from '../events.ts'
import { requestMachine, type RequestEvent, type RequestTrigger } from './machine.ts'
import * as statements from './sql.ts'
import type { ListedRequest, RequestFilter, RequestRow } from './sql.ts'

/** Silence that ends a request. */
const RESPONSE_TIME = 72 * HOUR

export interface NewRequest {
  requesterAgentId: string
  responderAgentId: string
  payload: unknown
}

/** Asks another agent to work together. Both must be published; the caller operates the first. */
export async function requestCollaboration(
  tx: Tx,
  ctx: RequestContext,
  { requesterAgentId, responderAgentId, payload }: NewRequest,
): Promise<ListedRequest> {
  const requester = await requireAgent(tx, ctx, requesterAgentId)
  const responder = await agentById(tx, responderAgentId)
  if (!responder) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  requireOpenTo([ctx.principal.accountId, requester.ownerId], responder)
  if (requester.id === responder.id) throw invalid('an agent cannot send a request to itself')
  requireTradable(requester)
  requireTradable(responder)
  const row: RequestRow = {
    id: newId(),
    status: 'PENDING',
    requesterAccountId: ctx.principal.accountId,
    responderAccountId: null,
    requesterAgentId: requester.id,
    responderAgentId: responder.id,
    payload: limitJsonSize(payload, 'payload'),
    counterPayload: null,
    expiresAt: after(tx.now, RESPONSE_TIME),
    respondedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  await tx.run(statements.insertRequest(row))
  await publish(tx, a2aRequested, eventOf(row))
  return tx.one(statements.listedById(row.id))
}

export interface Response {
  requestId: string
  status: 'ACCEPTED' | 'REJECTED'
  counterPayload?: unknown
}

/** Answers a request as whoever operates its responder. 409 unless it is PENDING, also once its time is over. */
export async function respondToRequest(
  tx: Tx,
  ctx: RequestContext,
  { requestId, status, counterPayload }: Response,
): Promise<ListedRequest> {
  const row = isId(requestId) ? await tx.maybe(statements.lockRequest(requestId)) : undefined
  if (!row) throw apiError(A2A.REQUEST_NOT_FOUND)
  await requireAgent(tx, ctx, row.responderAgentId)
  const event = status === 'ACCEPTED' ? 'accept' : 'reject'
  // A deadline that passed counts at once, not when its timer runs.
  if (row.expiresAt && row.expiresAt <= tx.now)
    throw apiError({ ...COMMON.STATE_CONFLICT, message: `Cannot ${event} while EXPIRED` })
  const answer = limitJsonSize(counterPayload, 'counterPayload')
  await end(tx, row, {
    event,
    by: 'responder',
    actorId: boundAgent(ctx.principal) ?? ctx.principal.accountId,
    set: {
      respondedAt: tx.now,
      responderAccountId: ctx.principal.accountId,
      ...(answer === null ? {} : { counterPayload: json(answer) }),
    },
  })
  return tx.one(statements.listedById(row.id))
}

/** Timer: nobody responded. */
export async function expireRequest(tx: Tx, id: string): Promise<void> {
  const row = await tx.maybe(statements.lockRequest(id))
  if (row?.expiresAt && row.expiresAt <= tx.now) await end(tx, row, { event: 'expire', by: 'timer' })
}

async function end(tx: Tx, row: RequestRow, change: Transition<RequestEvent, RequestTrigger>): Promise<void> {
  const { status } = await transition(tx, requestMachine, row, {
    ...change,
    set: { ...change.set, expiresAt: null },
  })
  if (status !== 'PENDING') await publish(tx, a2aRequestEnded, { ...eventOf(row), status })
}

const eventOf = ({ id, requesterAgentId, responderAgentId }: RequestRow) => ({
  requestId: id,
  requesterAgentId,
  responderAgentId,
})

/** The requests of an agent, newest first. 403 unless the caller operates the agent. */
export async function listRequests(q: Queryable, ctx: RequestContext, filter: RequestFilter, page: Page) {
  const { id: agentId } = await requireAgent(q, ctx, filter.agentId)
  const rows = await q.rows(statements.requestsOf({ ...filter, agentId }, page))
  const { counted } = await q.one(statements.countRequestsOf({ ...filter, agentId }, TOTAL_CAP + 1))
  return { rows, counted }
}

/** Ends what waits for a deleted account or its agents, and erases what the account wrote. */
export async function eraseRequestsOf(tx: Tx, accountId: string): Promise<void> {
  for (const row of await tx.rows(statements.lockPendingOf(accountId)))
    await end(tx, row, { event: 'expire', by: 'system', details: { reason: 'account deleted' } })
  await tx.run(statements.erasePayloadsOf(accountId))
  await tx.run(statements.eraseCountersOf(accountId))
}
