import { IDENTITY, requireStepUp, serviceAccounts } from '#identity'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import {
  type AccountKeyPrincipal,
  isAdmin,
  isAuthenticated,
  type PublicContext,
  type RequestContext,
  requireUnboundCredential,
  type SessionPrincipal,
} from '#platform/http/principal'
import { publish } from '#platform/kernel/events'
import type { Services } from '#platform/kernel/services'
import { historyOf, transition } from '#platform/kernel/machine'
import {
  agentById,
  agentBySlug,
  canOperate,
  columnsOf,
  createAgent,
  isOwner,
  knownAgent,
  lockAgent,
  type Agent,
  type Listing,
  type NewAgent,
} from '../agent.ts'
import { requireAgentAllowance } from '../allowance.ts'
import { agentMachine, type AgentEvent, type AgentTrigger, type AgentStatus } from '../agent-machine.ts'
import { AGENTS } from '../errors.ts'
import { agentArchived, agentTrusted } from '../events.ts'
import { archiveGuard } from '../ports.ts'
import * as statements from '../sql.ts'
import { requireUsableSlug } from './slug.ts'

/**
 * Creates a DRAFT agent and its key. An agent that a person creates counts as claimed. 409 for an account that has as many as
 * it may.
 */
export async function createListing(
  tx: Tx,
  ctx: RequestContext<SessionPrincipal | AccountKeyPrincipal>,
  input: NewAgent,
  services: Pick<Services, 'config'>,
): Promise<{ agent: Agent; apiKey: string }> {
  requireUnboundCredential(ctx)
  await requireAgentAllowance(tx, ctx.principal.accountId, services)
  const agent = await createAgent(
    tx,
    { id: ctx.principal.accountId },
    { ...input, claimed: ctx.principal.userType === 'HUMAN' },
  )
  const { apiKey } = await serviceAccounts.issueAgentKey(tx, {
    agentId: agent.id,
    accountId: ctx.principal.accountId,
  })
  return { agent, apiKey }
}

/** Changes the given fields, then the status if `status` is given. */
export async function updateListing(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  { status, ...changes }: Partial<Listing> & { status?: AgentStatus },
): Promise<Agent> {
  const agent = await lockOwn(tx, ctx, id)
  if (changes.slug && changes.slug !== agent.slug) requireUsableSlug(changes.slug)
  const columns = columnsOf(changes)
  if (Object.keys(columns).length) {
    if (agent.status === 'ARCHIVED')
      throw apiError({ ...COMMON.STATE_CONFLICT, message: 'Cannot update while ARCHIVED' })
    await tx.run(statements.updateAgent(id, { ...columns, updatedAt: tx.now }))
  }
  return moveTo(tx, ctx, agent, { status: status ?? agent.status })
}

// The event that leads to each state. The machine rejects events that the owner may not trigger.
const EVENT_TO: Record<AgentStatus, AgentEvent> = {
  ACTIVE: 'publish',
  PAUSED: 'pause',
  ARCHIVED: 'archive',
  PENDING_REVIEW: 'submit',
  DRAFT: 'send_back',
  REJECTED: 'reject',
  SUSPENDED: 'suspend',
}

/** Changes the status as the owner. Does nothing if the agent already has it. */
export async function moveOwn(tx: Tx, ctx: RequestContext, id: string, wanted: Wanted): Promise<Agent> {
  return moveTo(tx, ctx, await lockOwn(tx, ctx, id), wanted)
}

interface Wanted {
  status: AgentStatus
  notes?: string
}

async function moveTo(tx: Tx, ctx: RequestContext, agent: Agent, { status, notes }: Wanted): Promise<Agent> {
  if (status === agent.status) return knownAgent(tx, agent.id)
  if (agent.status === 'SUSPENDED')
    throw apiError(AGENTS.AGENT_SUSPENDED, { hint: 'Only an administrator can reinstate it' })
  if (status === 'ARCHIVED') {
    // Archiving cannot be undone.
    await requireStepUp(tx, ctx, tx.clock.real())
    await archiveGuard.call(tx, { agentId: agent.id })
    await publish(tx, agentArchived, { agentId: agent.id, ownerId: agent.ownerId })
  }
  return move(tx, agent, {
    event: EVENT_TO[status],
    by: 'owner',
    actorId: ctx.principal.accountId,
    details: notesOf(notes),
  })
}

export type Decision = 'APPROVED' | 'REJECTED' | 'NEEDS_WORK' | 'TRUSTED'
const EVENT_OF = { APPROVED: 'approve', REJECTED: 'reject', NEEDS_WORK: 'send_back' } as const

/**
 * Decides a submitted agent as an operator; 403 for one that they own or operate. TRUSTED raises the trust tier of a
 * VERIFIED agent; otherwise it is 409.
 */
export async function reviewAgent(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  { decision, notes }: { decision: Decision; notes?: string },
): Promise<Agent> {
  const agent = await lockAgent(tx, id)
  if (canOperate(ctx, agent))
    throw apiError(COMMON.FORBIDDEN, { hint: 'An operator cannot review an agent of their own' })
  const { target, about } = auditInfo(agent)
  await audit(tx, ctx, 'agent.reviewed', { target, about, details: { decision } })
  if (decision === 'TRUSTED') return trustAgent(tx, agent)
  return move(tx, agent, {
    event: EVENT_OF[decision],
    by: 'operator',
    actorId: ctx.principal.accountId,
    details: notesOf(notes),
  })
}

async function trustAgent(tx: Tx, agent: Agent): Promise<Agent> {
  if (agent.trustTier !== 'VERIFIED')
    throw apiError(
      { ...COMMON.STATE_CONFLICT, message: `Cannot trust while ${agent.trustTier}` },
      { hint: 'Only a VERIFIED agent can become TRUSTED' },
    )
  await tx.run(statements.updateAgent(agent.id, { trustTier: 'TRUSTED' }))
  await publish(tx, agentTrusted, { agent })
  return { ...agent, trustTier: 'TRUSTED' }
}

const notesOf = (notes?: string) => (notes ? { notes } : {})

/** Suspends an agent at once; `suspendedFrom` stores its status for the reinstatement. */
export async function suspendAgent(tx: Tx, ctx: RequestContext, id: string, reason?: string): Promise<Agent> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const agent = await lockAgent(tx, id)
  await serviceAccounts.suspendAgentKeys(tx, id, true)
  await audit(tx, ctx, 'agent.suspended', auditInfo(agent, reason))
  return move(tx, agent, {
    event: 'suspend',
    by: 'operator',
    actorId: ctx.principal.accountId,
    set: { suspendedFrom: agent.status },
  })
}

/**
 * Restores the status that the agent had before its suspension. 403 for an agent that the caller owns or operates and
 * another admin suspended.
 */
export async function reinstateAgent(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  reason?: string,
): Promise<Agent> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const agent = await lockAgent(tx, id)
  if (canOperate(ctx, agent) && (await suspenderOf(tx, id)) !== ctx.principal.accountId)
    throw apiError(COMMON.FORBIDDEN, {
      hint: 'An operator cannot reinstate an agent of their own that another one suspended',
    })
  await serviceAccounts.suspendAgentKeys(tx, id, false)
  await audit(tx, ctx, 'agent.reinstated', auditInfo(agent, reason))
  return move(tx, agent, {
    event: 'reinstate',
    by: 'operator',
    actorId: ctx.principal.accountId,
    to: agent.suspendedFrom ?? undefined,
    set: { suspendedFrom: null },
  })
}

const suspenderOf = async (q: Queryable, id: string): Promise<string | null> =>
  (await q.rows(historyOf('agents_agent', id))).findLast(({ event }) => event === 'suspend')?.actorId ?? null

const auditInfo = ({ id, ownerId, creatorId }: Agent, reason?: string) => ({
  target: ['agent', id] as const,
  about: [ownerId, creatorId],
  ...(reason ? { details: { reason } } : {}),
})

/** Subscriber of a suspension and of its end: agents of a suspended owner are in no list, and no deal is made with them. */
export const noteOwner =
  ({ isSuspended }: { isSuspended: boolean }) =>
  async (tx: Tx, { accountId }: { accountId: string }): Promise<void> => {
    await tx.run(statements.setOwnerSuspended(accountId, isSuspended))
  }

/** Archives all agents of an account that is being deleted; their live escrows run to their end. */
export async function archiveAgentsOf(tx: Tx, accountId: string): Promise<void> {
  for (const agent of await tx.rows(statements.agentsOfOwner(accountId))) {
    if (agent.status !== 'ARCHIVED')
      await move(tx, agent, { event: 'archive', by: 'system', set: { suspendedFrom: null } })
  }
}

type Transition = Parameters<typeof transition<Agent, AgentStatus, AgentEvent, AgentTrigger>>[3]

async function move(tx: Tx, agent: Agent, how: Transition): Promise<Agent> {
  await transition(tx, agentMachine, agent, how)
  return knownAgent(tx, agent.id)
}

/** Locks an agent that the caller owns. Errors: 404 for an unknown agent, 403 if it belongs to another account. */
export async function lockOwn(tx: Tx, ctx: RequestContext, id: string): Promise<Agent> {
  return requireOwner(ctx, await lockAgent(tx, id))
}

/** Reads an agent that the caller owns, with the same errors. */
export async function readOwn(q: Queryable, ctx: RequestContext, id: string): Promise<Agent> {
  return requireOwner(ctx, await knownAgent(q, id))
}

function requireOwner(ctx: RequestContext, agent: Agent): Agent {
  if (!isOwner(ctx, agent))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
  return agent
}

/** Only the owner of an agent binds service accounts to it, and not while it is suspended. */
export async function requireBindable(
  tx: Tx,
  { ctx, agentId }: { ctx: RequestContext; agentId: string },
): Promise<void> {
  const { status } = await lockOwn(tx, ctx, agentId)
  if (status === 'SUSPENDED') throw apiError(AGENTS.AGENT_SUSPENDED)
}

/** Reads an agent by id or slug. Errors: 404 for an unknown agent, 403 for a PRIVATE one except to its owner and admins. */
export async function visibleAgent(
  q: Queryable,
  ctx: PublicContext,
  key: { id: string } | { slug: string },
): Promise<Agent> {
  const agent = 'id' in key ? await agentById(q, key.id) : await agentBySlug(q, key.slug)
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  const insider = isAuthenticated(ctx) && (isAdmin(ctx.principal) || canOperate(ctx, agent))
  if (agent.visibility === 'PRIVATE' && !insider) throw isPrivate()
  return agent
}

const isPrivate = () => apiError(COMMON.FORBIDDEN, { hint: 'The agent is private' })

/**
 * 403 where none of the accounts may turn to the agent: to a PRIVATE one only its owner, and its creator. Unlike for
 * `visibleAgent` a key of another agent of the account is enough.
 */
export function requireOpenTo(accountIds: readonly (string | undefined)[], agent: Agent): void {
  const { visibility, ownerId, creatorId, creatorDetachedAt } = agent
  const insiders = creatorDetachedAt ? [ownerId] : [ownerId, creatorId]
  if (visibility === 'PRIVATE' && !insiders.some(id => accountIds.includes(id))) throw isPrivate()
}
