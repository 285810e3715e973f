import { isBound, type Actor } from '#platform/http/actor'
import { joined, part, sql, type SqlPart } from '#platform/sql'
import type { Agent } from './agent.ts'
import { AGENT_COLUMNS } from './sql.ts'

export interface Filter {
  /** Whose agents may be seen: those on the public list, these and the caller's own, or all. */
  scope: 'listed' | 'all' | { actor: Actor }
  /** The caller's own alone. */
  own?: boolean
  search?: string
  category?: string
  tag?: string
  capabilities?: string[]
  maxPrice?: bigint
  minReputation?: number
  status?: string
  visibility?: string
  conduit?: string
  role?: string
  /** null finds nothing. */
  creatorId?: string | null
  verified?: boolean
  /** Online: a heartbeat since then, and not one that said good-bye. */
  seenSince?: Date
  /** Only what comes after this one in the order of trust. */
  before?: { score: number; id: string }
}

export type SortKey = 'relevance' | 'trustScore' | 'price' | 'createdAt' | 'completions' | 'lastSeen'
export interface Order {
  sort: SortKey
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

// Stop words alone leave no stemmed query: then the words count as they were written. A subselect, so that the
// server parses the words once and not for every row that it ranks.
const tsquery = (search: string): SqlPart => part`(select case
  when numnode(websearch_to_tsquery('english', ${search})) > 0 then websearch_to_tsquery('english', ${search})
  else websearch_to_tsquery('simple', ${search}) end)`

const LISTED = part`(status = 'ACTIVE' and visibility = 'PUBLIC')`
// A bound key has its agent, or none.
const ownOf = (actor: Actor): SqlPart =>
  isBound(actor)
    ? part`id = ${actor.agentId}::uuid`
    : part`(owner_id = ${actor.accountId} or (creator_id = ${actor.accountId} and creator_detached_at is null))`

function scopeOf({ scope, own }: Filter): SqlPart {
  if (scope === 'all') return part`true`
  if (scope === 'listed') return LISTED
  return own ? ownOf(scope.actor) : part`(${LISTED} or ${ownOf(scope.actor)})`
}

/** One condition for each filter that is given. */
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
    verified,
    seenSince,
    before,
  } = filter
  const parts = [
    scopeOf(filter),
    search && part`search @@ ${tsquery(search)}`,
    category && part`agents_folded(categories) @> agents_folded(${[category]})`,
    tag && part`agents_folded(tags) @> agents_folded(${[tag]})`,
    capabilities && part`agents_folded(capabilities) @> agents_folded(${capabilities})`,
    maxPrice !== undefined && part`price <= ${maxPrice}`,
    minReputation !== undefined && part`trust_score >= ${minReputation}::float8`,
    status && part`status = ${status}`,
    visibility && part`visibility = ${visibility}`,
    conduit && part`lower(conduit) = lower(${conduit})`,
    role && part`lower(role) = lower(${role})`,
    creatorId !== undefined && part`creator_id = ${creatorId}::uuid`,
    verified && part`trust_tier in ('VERIFIED', 'TRUSTED')`,
    seenSince && part`last_seen_at >= ${seenSince} and presence_status <> 'offline'`,
    before && part`(trust_score, id) < (${before.score}::int, ${before.id}::uuid)`,
  ]
  return joined(
    parts.filter(each => typeof each === 'object'),
    ' and ',
  )
}

const SORTS: Record<Exclude<SortKey, 'relevance'>, SqlPart> = {
  trustScore: part`trust_score`,
  price: part`price`,
  createdAt: part`created_at`,
  completions: part`completions`,
  lastSeen: part`coalesce(last_seen_at, '-infinity')`,
}

function orderBy({ sort, order }: Order, search: string | undefined): SqlPart {
  const direction = order === 'asc' ? part`asc` : part`desc`
  // Of two equally relevant ones the more trusted comes first.
  if (sort === 'relevance')
    return part`ts_rank(search, ${tsquery(search ?? '')}, 1) ${direction}, trust_score desc, id desc`
  return part`${SORTS[sort]} ${direction}, id ${direction}`
}

export const findAgents = (filter: Filter, order: Order) => sql<Agent>`select ${AGENT_COLUMNS} from agents_agent
  where ${conditions(filter)} order by ${orderBy(order, filter.search)} limit ${order.limit} offset ${order.offset}`

/** How many there are, counted to `most` at most. */
export const countAgents = (filter: Filter, most: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from agents_agent where ${conditions(filter)} limit ${most}) as found`
