import { isOwner, lockAgentIfAny, requireAgent, requireTradable, type Agent } from '#agents'
import { IDENTITY, organizations } from '#identity'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'

export type OwnerType = 'USER' | 'AGENT' | 'ORGANIZATION'

/** Whose money is paid out. */
export interface Owner {
  type: OwnerType
  id: string
  /** The account that controls it; an organization's own id. */
  accountId: string
}

/** Names an owner: without a field it is the caller. */
export interface Named {
  agentId?: string
  slug?: string
}

/**
 * The owner that a request names, for reading. Errors: 404 for an unknown agent or organization, 403 unless the caller
 * owns the agent or is a member.
 */
export async function ownerToRead(q: Queryable, ctx: RequestContext, named: Named): Promise<Owner> {
  if (named.agentId !== undefined) return ownerOfAgent(ctx, await requireAgent(q, ctx, named.agentId))
  if (named.slug !== undefined) return organizationOwner(q, ctx, named.slug, 'read')
  return userOwner(ctx)
}

/**
 * The same for a change of its money or destination. The agent is locked, so that nobody else gains it meanwhile; an
 * organization needs the role OWNER or ADMIN, which is locked too. 403 for a suspended agent.
 */
export async function ownerToSpend(tx: Tx, ctx: RequestContext, named: Named): Promise<Owner> {
  if (named.agentId !== undefined) return ownerOfAgent(ctx, await lockOwnAgent(tx, ctx, named.agentId))
  if (named.slug !== undefined) return organizationOwner(tx, ctx, named.slug, 'spend')
  return userOwner(ctx)
}

/** An agent of the caller, locked. Errors: 404, 403 unless the caller owns it or if it is suspended. */
export async function lockOwnAgent(tx: Tx, ctx: RequestContext, agentId: string): Promise<Agent> {
  await requireAgent(tx, ctx, agentId)
  const agent = await lockAgentIfAny(tx, agentId)
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  ownerOfAgent(ctx, agent)
  if (agent.status === 'SUSPENDED') requireTradable(agent)
  return agent
}

const userOwner = ({ principal: { accountId } }: RequestContext): Owner => ({
  type: 'USER',
  id: accountId,
  accountId,
})

function ownerOfAgent(ctx: RequestContext, agent: Agent): Owner {
  if (!isOwner(ctx, agent))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
  return { type: 'AGENT', id: agent.id, accountId: agent.ownerId }
}

async function organizationOwner(
  q: Queryable,
  ctx: RequestContext,
  slug: string,
  use: 'read' | 'spend',
): Promise<Owner> {
  const organization = await organizations.organizationBySlug(q, slug)
  if (!organization) throw apiError(IDENTITY.ORGANIZATION_NOT_FOUND)
  const { id } = organization
  if (!(await organizations.actsForOrganization(q, ctx, id, use)))
    throw apiError(COMMON.FORBIDDEN, {
      hint: use === 'spend' ? 'Requires the role OWNER or ADMIN in the organization' : 'You are not a member',
    })
  return { type: 'ORGANIZATION', id, accountId: id }
}
