import { IDENTITY } from '#identity'
import { tidyName } from '#platform/http/display-name'
import { createWallet } from '#wallets'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { isBound, boundAgent, type RequestContext } from '#platform/http/principal'
import { isId, newId } from '#platform/kernel/id'
import { parseAmount, type Asset } from '#platform/kernel/money'
import type { SqlPart } from '#platform/kernel/sql'
import type { AgentStatus } from './agent-machine.ts'
import { AGENTS } from './errors.ts'
import { lockBeforeAgent } from './ports.ts'
import { requireUsableSlug, slugCandidates, slugOf, slugSuggestions } from './listing/slug.ts'
import * as statements from './sql.ts'

export type TrustTier = 'UNVERIFIED' | 'BASIC' | 'VERIFIED' | 'TRUSTED'
export type Visibility = 'PUBLIC' | 'PRIVATE' | 'UNLISTED'
export type PricingModel = 'custom' | 'per_call' | 'fixed' | 'hourly'

/** An agent as the other modules see it. `price` in micro-units; `ownerId` is the claimer, else the creator. */
export interface Agent {
  id: string
  slug: string
  name: string
  description: string
  categories: string[]
  tags: string[]
  capabilities: string[]
  pricingModel: PricingModel
  price: bigint
  priceCurrency: Asset
  visibility: Visibility
  role: string | null
  conduit: string | null
  ap2Endpoint: string | null
  inputSchema: object | null
  outputSchema: object | null
  fulfillmentTypes: string[]
  status: AgentStatus
  suspendedFrom: AgentStatus | null
  creatorId: string
  claimedById: string | null
  ownerId: string
  /** Then no deal is made with it, whatever its own status. */
  ownerSuspended: boolean
  /** Since when the creator has no access any more; null while it may operate the agent. */
  creatorDetachedAt: Date | null
  walletId: string
  x402WalletAddress: string | null
  trustTier: TrustTier
  trustScore: number
  completions: number
  executions: number
  rating: number | null
  lastSeenAt: Date | null
  presenceStatus: 'available' | 'busy' | 'offline'
  presenceLoad: number | null
  createdAt: Date
  updatedAt: Date
}

/** What deals need of an agent. */
export type AgentSummary = Pick<
  Agent,
  | 'id'
  | 'slug'
  | 'name'
  | 'status'
  | 'creatorId'
  | 'ownerId'
  | 'ownerSuspended'
  | 'creatorDetachedAt'
  | 'walletId'
  | 'trustTier'
  | 'outputSchema'
>

/** What an owner says of an agent; everything but the name has a default. */
export interface Listing {
  name: string
  slug?: string
  description?: string
  categories?: string[]
  tags?: string[]
  capabilities?: string[]
  pricing?: { model?: PricingModel; amount?: number | string; currency?: Asset }
  visibility?: Visibility
  role?: string | null
  conduit?: string | null
  ap2Endpoint?: string | null
  inputSchema?: object | null
  outputSchema?: object | null
  fulfillmentTypes?: string[]
}

export interface NewAgent extends Listing {
  /** A slug to have where it is free; with a suffix where it is not. */
  slugIfFree?: string
  /** An address of the agent's own; without it the service makes one. */
  walletAddress?: string
  /** A person made it with their own hands, so that it needs no claim. */
  claimed?: boolean
  /** It can be hired from the start. */
  published?: boolean
}

const DEFAULTS: Omit<Listing, 'name'> = {
  description: '',
  categories: ['general'],
  tags: [],
  capabilities: [],
  pricing: { model: 'custom', amount: 0, currency: 'USD' },
  visibility: 'PUBLIC',
  fulfillmentTypes: [],
}

export const agentById = async (q: Queryable, id: string): Promise<Agent | undefined> =>
  isId(id) ? q.maybe(statements.agentById(id)) : undefined
/** Those of the given agents that exist, in no particular order, in one statement. */
export const agentsByIds = async (q: Queryable, ids: readonly string[]): Promise<Agent[]> =>
  ids.length ? q.rows(statements.agentsByIds(ids)) : []
export const agentBySlug = (q: Queryable, slug: string): Promise<Agent | undefined> =>
  q.maybe(statements.agentBySlug(slug))

/**
 * A DRAFT agent of `account` with its USD wallet; ACTIVE if it is made published. A given slug that is taken is 409 with free ones,
 * one that is not for use 400; without a slug one is derived from the name.
 */
export async function createAgent(tx: Tx, account: { id: string }, input: NewAgent): Promise<Agent> {
  if (input.slug) requireUsableSlug(input.slug)
  const id = newId()
  const wallet = await createWallet(tx, {
    ownerType: 'AGENT',
    ownerId: id,
    accountId: account.id,
    currency: 'USD',
    ...(input.walletAddress
      ? { walletType: 'PROVIDED', cryptoAddress: input.walletAddress }
      : { walletType: 'MANAGED' }),
  })
  const columns = {
    ...columnsOf({ ...DEFAULTS, ...input, pricing: { ...DEFAULTS.pricing, ...input.pricing } }),
    id,
    status: input.published ? 'ACTIVE' : 'DRAFT',
    creatorId: account.id,
    claimedById: input.claimed ? account.id : null,
    walletId: wallet.id,
    x402WalletAddress: wallet.cryptoAddress,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  for (const slug of input.slug ? [input.slug] : slugCandidates(input.slugIfFree ?? slugOf(input.name))) {
    if (await tx.run(statements.insertAgent({ ...columns, slug }))) return tx.one(statements.agentById(id))
  }
  throw apiError(IDENTITY.SLUG_TAKEN, {
    fields: { suggestions: await slugSuggestions(tx, input.slug ?? input.name) },
  })
}

/** The columns behind the given fields of a listing; fields that are absent stay as they are. */
export function columnsOf({ pricing, ...listing }: Partial<Listing>): Record<string, unknown> {
  return present({
    slug: listing.slug,
    name: listing.name && tidyName(listing.name),
    description: listing.description,
    categories: tidyWords(listing.categories),
    tags: tidyWords(listing.tags),
    capabilities: tidyWords(listing.capabilities),
    visibility: listing.visibility,
    role: listing.role && tidyName(listing.role),
    conduit: listing.conduit && tidyName(listing.conduit),
    ap2Endpoint: listing.ap2Endpoint,
    inputSchema: listing.inputSchema,
    outputSchema: listing.outputSchema,
    fulfillmentTypes: tidyWords(listing.fulfillmentTypes),
    pricingModel: pricing?.model,
    priceCurrency: pricing?.currency,
    price:
      pricing?.amount === undefined
        ? undefined
        : parseAmount(pricing.amount, { field: 'pricing.amount', zero: true }),
  })
}

// The filters compare whole words.
const tidyWords = (words: readonly string[] | undefined): string[] | undefined =>
  words && [...new Set(words.map(tidyName))]

const present = (columns: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))

type Authority = Pick<Agent, 'id' | 'creatorId' | 'ownerId' | 'creatorDetachedAt'>

// A key that is bound to one agent is valid for that agent only.
const isFor = (ctx: RequestContext, agent: Authority): boolean =>
  !isBound(ctx.principal) || boundAgent(ctx.principal) === agent.id

/** True if the caller owns the agent: only the owner moves its money and changes its listing. */
export const isOwner = (ctx: RequestContext, agent: Authority): boolean =>
  isFor(ctx, agent) && ctx.principal.accountId === agent.ownerId

/** True if the caller may operate the agent: its owner, or its creator unless the owner detached it. */
export const canOperate = (ctx: RequestContext, agent: Authority): boolean =>
  isOwner(ctx, agent) ||
  (isFor(ctx, agent) && ctx.principal.accountId === agent.creatorId && agent.creatorDetachedAt === null)

/** The agent, if the caller may operate it: unknown 404, another's 403; a suspended one's key 403 `Agent suspended`. */
export async function requireAgent(q: Queryable, ctx: RequestContext, id: string): Promise<Agent> {
  const agent = await knownAgent(q, id)
  if (!canOperate(ctx, agent))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The agent belongs to another account' })
  if (isBound(ctx.principal) && agent.status === 'SUSPENDED') throw apiError(AGENTS.AGENT_SUSPENDED)
  return agent
}

/** The agent, or ApiError 404 `Agent not found`. */
export async function knownAgent(q: Queryable, id: string): Promise<Agent> {
  const agent = await agentById(q, id)
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  return agent
}

/** Locks the agent's row until the end of the transaction. The id may be a subquery. */
export const lockAgentIfAny = (tx: Tx, id: string | SqlPart): Promise<Agent | undefined> =>
  tx.maybe(statements.lockAgent(id))

/** The same; unknown 404. */
export async function lockAgent(tx: Tx, id: string): Promise<Agent> {
  const agent = isId(id) ? await lockAgentIfAny(tx, id) : undefined
  if (!agent) throw apiError(IDENTITY.AGENT_NOT_FOUND)
  return agent
}

/**
 * Locks the agent after its live deals, which come first in the global lock order. For commands that change its owner or
 * its keys and then its deals; unknown 404. `check` throws for callers without the right, before any lock is taken,
 * and again once they are held.
 */
export async function lockAgentAfterDeals(tx: Tx, id: string, check: (agent: Agent) => void): Promise<Agent> {
  check(await knownAgent(tx, id))
  await lockBeforeAgent.call(tx, { agentId: id })
  const agent = await lockAgent(tx, id)
  check(agent)
  return agent
}

type Availability = Pick<Agent, 'status'> & Partial<Pick<Agent, 'ownerSuspended'>>

/** The code of the error of deals with it: it or its owner is suspended, or it is not ACTIVE. Null where deals can be made. */
export function untradableCode(agent: Availability): 'AGENT_SUSPENDED' | 'AGENT_NOT_PUBLISHED' | null {
  if (agent.status === 'SUSPENDED' || agent.ownerSuspended) return 'AGENT_SUSPENDED'
  return agent.status === 'ACTIVE' ? null : 'AGENT_NOT_PUBLISHED'
}

/** Refuses deals with it: 403 `Agent suspended`, 400 `Agent not published`. */
export function requireTradable(agent: Availability): void {
  const code = untradableCode(agent)
  if (code === 'AGENT_SUSPENDED') throw apiError(AGENTS.AGENT_SUSPENDED)
  if (code) throw apiError(AGENTS.AGENT_NOT_PUBLISHED, { details: { status: agent.status } })
}
