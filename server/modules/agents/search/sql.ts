import { isBound, boundAgent, type RequestContext } from '#platform/http/principal'
import { searchBeginning, searchQuery } from '#platform/kernel/database/text-search'
import { joined, part, planAnew, sql, type SqlPart } from '#platform/kernel/sql'
import type { Agent } from '../agent.ts'
import { AGENT_COLUMNS } from '../sql.ts'

export interface Filter {
  /** Visible agents: the public list, the public list with the agents of the caller, or all. */
  scope: 'listed' | 'all' | { ctx: RequestContext }
  /** Only agents of the caller. */
  own?: boolean
  /** As `parseSearch` gives it. */
  search?: string
  /** The search that takes its place if nothing matches it. */
  searchElse?: string
  category?: string
  tag?: string
  capabilities?: string[]
  maxPrice?: bigint
  minReputation?: number
  status?: string
  visibility?: string
  conduit?: string
  role?: string
  /** Null matches no agent. */
  creatorId?: string | null
  ownerId?: string | null
  verified?: boolean
  /** Only agents with a heartbeat since then that was not `offline`. */
  seenSince?: Date
  /** Only agents after this one in the order of trust. */
  before?: { score: number; id: string }
}

export type SortKey = 'relevance' | 'trustScore' | 'price' | 'createdAt' | 'completions' | 'lastSeen'
export interface Order {
  sort: SortKey
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** The parsed form of a search, as text: parsed beforehand, so that the planner sees how frequent its words are. */
export const parseSearch = (search: string) => sql<{ parsed: string; beginning: string | null }>`
  select ${searchQuery(search)}::text as parsed, ${searchBeginning(search)}::text as beginning`

const tsquery = (parsed: string): SqlPart => part`${parsed}::tsquery`

const LISTED = part`(status = 'ACTIVE' and visibility = 'PUBLIC' and not owner_suspended)`
// A bound key sees its agent, or none.
const ownOf = (ctx: RequestContext): SqlPart =>
  isBound(ctx.principal)
    ? part`id = ${boundAgent(ctx.principal)}::uuid`
    : part`(owner_id = ${ctx.principal.accountId} or (creator_id = ${ctx.principal.accountId} and creator_detached_at is null))`

function scopeOf({ scope, own }: Filter): SqlPart {
  if (scope === 'all') return part`true`
  if (scope === 'listed') return LISTED
  return own ? ownOf(scope.ctx) : part`(${LISTED} or ${ownOf(scope.ctx)})`
}

/** One condition for each given filter. */
function conditions(filter: Filter): SqlPart {
  const {
    search,
    category,
    tag,
    capabilities,
    maxPrice,
    minReputation,
    status,
    visibility,
    conduit,
    role,
    creatorId,
    ownerId,
    verified,
    seenSince,
    before,
  } = filter
  const parts = [
    scopeOf(filter),
    search !== undefined && part`search @@ ${tsquery(search)}`,
    category && part`agents_folded(categories) @> agents_folded(${[category]})`,
    tag && part`agents_folded(tags) @> agents_folded(${[tag]})`,
    capabilities && part`agents_folded(capabilities) @> agents_folded(${capabilities})`,
    maxPrice !== undefined && upTo(maxPrice),
    minReputation !== undefined && part`trust_score >= ${minReputation}::float8`,
    status && part`status = ${status}`,
    visibility && part`visibility = ${visibility}`,
    conduit && part`lower(conduit) = lower(${conduit})`,
    role && part`lower(role) = lower(${role})`,
    creatorId !== undefined && part`creator_id = ${creatorId}::uuid`,
    ownerId !== undefined && part`owner_id = ${ownerId}::uuid`,
    verified && part`trust_tier in ('VERIFIED', 'TRUSTED')`,
    seenSince && part`last_seen_at >= ${seenSince} and presence_status <> 'offline'`,
    before && part`(trust_score, id) < (${before.score}::int, ${before.id}::uuid)`,
  ]
  return joined(
    parts.filter(each => typeof each === 'object'),
    ' and ',
  )
}

/** A price on request is 0 here. The buyer names it, but nobody is hired for nothing on request. */
const upTo = (maxPrice: bigint): SqlPart =>
  maxPrice === 0n ? part`price = 0 and pricing_model <> 'custom'` : part`price <= ${maxPrice}`

const SORTS: Record<Exclude<SortKey, 'relevance'>, SqlPart> = {
  trustScore: part`trust_score`,
  price: part`price`,
  createdAt: part`created_at`,
  completions: part`completions`,
  lastSeen: part`coalesce(last_seen_at, '-infinity')`,
}

function orderBy({ sort, order }: Order, search: string | undefined): SqlPart {
  const direction = order === 'asc' ? part`asc` : part`desc`
  // Agents of equal relevance are ordered by trust.
  if (sort === 'relevance')
    return part`ts_rank(search, ${tsquery(search ?? '')}, 1) ${direction}, trust_score desc, id desc`
  return part`${SORTS[sort]} ${direction}, id ${direction}`
}

export function findAgents(filter: Filter, order: Order) {
  const found = listedIn(filter)
  const page = part`limit ${order.limit} offset ${order.offset}`
  return planAnew(
    found && order.sort === 'createdAt' && order.order === 'desc'
      ? sql<Agent>`with found as (select agent_id, created_at as since ${found}
          order by created_at desc, agent_id desc ${page})
        select ${AGENT_COLUMNS} from found join agents_agent on id = agent_id order by since desc, agent_id desc`
      : sql<Agent>`select ${AGENT_COLUMNS} from agents_agent
        where ${conditions(filter)} order by ${orderBy(order, filter.search)} ${page}`,
  )
}

/** The most frequent words of a list of words, in lower case, of the first `most` matches. */
export const countWords = (filter: Filter, column: 'categories' | 'tags' | 'capabilities', most: number) =>
  planAnew(sql<{ value: string; count: number }>`
  select value, count(*)::int as count
  from (select agents_folded(${WORDS[column]}) as words from agents_agent where ${conditions(filter)} limit ${most}) found,
    unnest(words) value
  group by value order by count desc, value limit ${FACET_VALUES}`)
const FACET_VALUES = 20
const WORDS = { categories: part`categories`, tags: part`tags`, capabilities: part`capabilities` }

/** The number of matches, counted up to `most`. */
export const countAgents = (filter: Filter, most: number) =>
  planAnew(sql<{ counted: number }>`
  select count(*)::int as counted from (
    select ${listedIn(filter) ?? part`from agents_agent where ${conditions(filter)}`} limit ${most}) as found`)

/** Listed agents of a category, at a price or any: these are in a narrow table of their own. */
function listedIn({ scope, category, maxPrice, ...others }: Filter): SqlPart | undefined {
  const isPlain = Object.values(others).every(value => value === undefined || value === false)
  if (scope !== 'listed' || !category || !isPlain || maxPrice === 0n) return undefined
  return part`from agents_listed_category where category = (agents_folded(${[category]}))[1]
    and price <= ${maxPrice ?? ANY_PRICE}::bigint`
}
const ANY_PRICE = 2n ** 63n - 1n

export const countInReview = () => sql<{ count: number }>`
  select count(*)::int as count from agents_agent where status = 'PENDING_REVIEW'`
