import { demandStepUp, issueAgentKey, suspendAgentKeys } from '#identity'
import { audit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { transition } from '#platform/machine'
import { react } from '#platform/reactions'
import {
  agentById,
  agentBySlug,
  canOperate,
  columnsOf,
  createAgent,
  demandWholeAccount,
  isOwner,
  knownAgent,
  lockAgent,
  type Agent,
  type Listing,
  type NewAgent,
} from './agent.ts'
import { agentMachine, type AgentEvent, type AgentMover, type AgentStatus } from './agent-machine.ts'
import { AGENTS } from './faults.ts'
import * as statements from './sql.ts'

/** POST /agents: a DRAFT agent and its key. Made by a person it counts as claimed. */
export async function createListing(tx: Tx, actor: Actor, input: NewAgent): Promise<{ agent: Agent; apiKey: string }> {
  demandWholeAccount(actor)
  const agent = await createAgent(tx, { id: actor.accountId }, { ...input, claimed: actor.userType === 'HUMAN' })
  const { apiKey } = await issueAgentKey(tx, { agentId: agent.id, accountId: actor.accountId })
  return { agent, apiKey }
}

/** PUT and PATCH: changes the fields that are given; a `status` moves the agent after them. */
export async function updateListing(
  tx: Tx,
  actor: Actor,
  id: string,
  { status, ...changes }: Partial<Listing> & { status?: AgentStatus },
): Promise<Agent> {
  const agent = await lockOwn(tx, actor, id)
  const columns = columnsOf(changes)
  if (Object.keys(columns).length) {
    if (agent.status === 'ARCHIVED') throw fault({ ...COMMON.STATE_CONFLICT, message: 'Cannot update while ARCHIVED' })
    const renamed = (changes.name ?? agent.name) !== agent.name || (changes.slug ?? agent.slug) !== agent.slug
    await tx.run(statements.updateAgent(id, { ...columns, ...(renamed ? { named_at: tx.now } : {}), updated_at: tx.now }))
  }
  return moveTo(tx, actor, agent, { status: status ?? agent.status })
}

// The event that leads to each state. Those that are not the owner's are refused by the table.
const EVENT_TO: Record<AgentStatus, AgentEvent> = {
  ACTIVE: 'publish',
  PAUSED: 'pause',
  ARCHIVED: 'archive',
  PENDING_REVIEW: 'submit',
  DRAFT: 'send_back',
  REJECTED: 'reject',
  SUSPENDED: 'suspend',
}

/** Its owner's move to `status`; when it is there already, nothing moves and the answer is the same. */
export async function moveOwn(tx: Tx, actor: Actor, id: string, wanted: Wanted): Promise<Agent> {
  return moveTo(tx, actor, await lockOwn(tx, actor, id), wanted)
}

interface Wanted {
  status: AgentStatus
  notes?: string
}

async function moveTo(tx: Tx, actor: Actor, agent: Agent, { status, notes }: Wanted): Promise<Agent> {
  if (status === agent.status) return knownAgent(tx, agent.id)
  if (agent.status === 'SUSPENDED') throw fault(AGENTS.AGENT_SUSPENDED, { hint: 'Only an administrator can reinstate it' })
  if (status === 'ARCHIVED') {
    // It cannot be undone.
    await demandStepUp(tx, actor, tx.clock.real())
    await react(tx, 'agent.archived', { agentId: agent.id })
  }
  return move(tx, agent, { event: EVENT_TO[status], by: 'owner', actorId: actor.accountId, details: noted(notes) })
}

/** An operator's decision on a submitted agent. */
export async function reviewAgent(
  tx: Tx,
  actor: Actor,
  id: string,
  review: { event: 'approve' | 'send_back' | 'reject'; notes?: string },
): Promise<Agent> {
  const agent = await lockAgent(tx, id)
  return move(tx, agent, {
    event: review.event,
    by: 'operator',
    actorId: actor.accountId,
    details: noted(review.notes),
  })
}

const noted = (notes?: string) => (notes ? { notes } : {})

/** Where a request came from and why it was made, for the audit log. */
export interface Occasion {
  reason?: string
  ip?: string
  requestId?: string
}

/** Takes the agent out of all trade at once; what it was before is kept. */
export async function suspendAgent(tx: Tx, actor: Actor, id: string, occasion: Occasion): Promise<Agent> {
  await demandStepUp(tx, actor, tx.clock.real())
  const agent = await lockAgent(tx, id)
  await suspendAgentKeys(tx, id, true)
  await auditAgent(tx, actor, { action: 'agent.suspended', agentId: id, about: ownersOf(agent), ...occasion })
  return move(tx, agent, {
    event: 'suspend',
    by: 'operator',
    actorId: actor.accountId,
    set: { suspended_from: agent.status },
  })
}

/** Brings a suspended agent back to where it was. */
export async function reinstateAgent(tx: Tx, actor: Actor, id: string, occasion: Occasion): Promise<Agent> {
  await demandStepUp(tx, actor, tx.clock.real())
  const agent = await lockAgent(tx, id)
  await suspendAgentKeys(tx, id, false)
  await auditAgent(tx, actor, { action: 'agent.reinstated', agentId: id, about: ownersOf(agent), ...occasion })
  return move(tx, agent, {
    event: 'reinstate',
    by: 'operator',
    actorId: actor.accountId,
    to: agent.suspendedFrom ?? undefined,
    set: { suspended_from: null },
  })
}

/** One event about an agent in the audit log. */
export async function auditAgent(
  tx: Tx,
  actor: Actor,
  { action, agentId, about, reason, ip, requestId }: Occasion & { action: string; agentId: string; about?: string[] },
): Promise<void> {
  await audit(tx, {
    action,
    actorId: actor.accountId,
    actorKind: actor.kind,
    target: 'agent',
    targetId: agentId,
    ip,
    requestId,
    details: reason ? { reason } : undefined,
    about,
  })
}

const ownersOf = ({ ownerId, creatorId }: Agent) => [ownerId, creatorId]

/** Follows `account.deleted`: all its agents leave the market; their live escrows run to their end. */
export async function archiveAgentsOf(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  for (const agent of await tx.rows(statements.agentsOfOwner(accountId))) {
    if (agent.status !== 'ARCHIVED')
      await move(tx, agent, { event: 'archive', by: 'system', set: { suspended_from: null } })
  }
}

type Move = Parameters<typeof transition<Agent, AgentStatus, AgentEvent, AgentMover>>[3]

async function move(tx: Tx, agent: Agent, how: Move): Promise<Agent> {
  await transition(tx, agentMachine, agent, how)
  return knownAgent(tx, agent.id)
}

/** Locks an agent that the caller owns: unknown 404, another's 403. */
export async function lockOwn(tx: Tx, actor: Actor, id: string): Promise<Agent> {
  return requireOwner(actor, await lockAgent(tx, id))
}

/** The same without a lock. */
export async function readOwn(q: Queryable, actor: Actor, id: string): Promise<Agent> {
  return requireOwner(actor, await knownAgent(q, id))
}

function requireOwner(actor: Actor, agent: Agent): Agent {
  if (!isOwner(actor, agent)) throw fault(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
  return agent
}

/** Follows `service_account.binding`: only the owner of an agent makes keys for it, and none while it is suspended. */
export async function demandBindable(tx: Tx, { actor, agentId }: { actor: Actor; agentId: string }): Promise<void> {
  const { status } = await lockOwn(tx, actor, agentId)
  if (status === 'SUSPENDED') throw fault(AGENTS.AGENT_SUSPENDED)
}

/** The agent as anybody may read it by id or slug: PRIVATE is 403 but to its owner and admins. */
export async function visibleAgent(
  q: Queryable,
  actor: Actor | null,
  key: { id: string } | { slug: string },
): Promise<Agent> {
  const agent = 'id' in key ? await agentById(q, key.id) : await agentBySlug(q, key.slug)
  if (!agent) throw fault(AGENTS.AGENT_NOT_FOUND)
  const insider = actor !== null && (actor.role === 'ADMIN' || canOperate(actor, agent))
  if (agent.visibility === 'PRIVATE' && !insider) throw fault(COMMON.FORBIDDEN, { hint: 'The agent is private' })
  return agent
}
