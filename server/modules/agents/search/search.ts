import { tidyName } from '#platform/http/display-name'
import type { Static } from '#platform/http/type'
import { after } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { isAdmin, isAuthenticated, type PublicContext, type RequestContext } from '#platform/http/principal'
import { pageOf, TOTAL_CAP } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import { parseAmount } from '#platform/kernel/money'
import type { Agent } from '../agent.ts'
import { PRESENCE_STALE } from '../presence/presence.ts'
import type { DiscoverQuery, ListQuery } from './schema.ts'
import { countAgents, countWords, findAgents, parseSearch, type Filter, type SortKey } from './sql.ts'

export interface Found {
  agents: Agent[]
  counted: number
  facets?: Facets
}
type Counts = { value: string; count: number }[]
export interface Facets {
  categories: Counts
  tags: Counts
  capabilities: Counts
}

/** A search with more matches is not ranked. */
const RANKED_MAX = 1000

type Filters = Partial<Static<typeof ListQuery>>

/** Searches PUBLIC and ACTIVE agents. `showAll` adds the agents of the caller; for an admin all agents. */
export async function listAgents(
  q: Queryable,
  ctx: PublicContext,
  query: Static<typeof ListQuery>,
  real: Date,
): Promise<Found> {
  const filter = await filterOf(q, query, real)
  const scope = !query.showAll || !isAuthenticated(ctx) ? 'listed' : isAdmin(ctx.principal) ? 'all' : { ctx }
  const wanted = query.sortBy ?? 'relevance'
  const sort: SortKey = wanted === 'relevance' && filter.search === undefined ? 'createdAt' : wanted
  const order = query.sortOrder ?? (sort === 'price' ? 'asc' : 'desc')
  const page = { sort, order, ...pageOf(query) }
  return withMatches({ ...filter, scope }, async used => {
    const found = await find(q, used, page)
    return query.facets ? { ...found, facets: await facetsOf(q, used) } : found
  })
}

/** A search without a match is repeated with its last word as the beginning of a word. */
async function withMatches<Result extends { counted: number }>(
  { searchElse, ...filter }: Filter,
  search: (used: Filter) => Promise<Result>,
): Promise<Result> {
  const found = await search(filter)
  return found.counted || searchElse === undefined ? found : search({ ...filter, search: searchElse })
}

/** Each facet shows what choosing another of its values would find. */
async function facetsOf(q: Queryable, filter: Filter): Promise<Facets> {
  const [categories, tags, capabilities] = await Promise.all([
    q.rows(countWords({ ...filter, category: undefined }, 'categories', TOTAL_CAP)),
    q.rows(countWords({ ...filter, tag: undefined }, 'tags', TOTAL_CAP)),
    q.rows(countWords(filter, 'capabilities', TOTAL_CAP)),
  ])
  return { categories, tags, capabilities }
}

/** The agents that the caller owns, or created and may operate, newest first. */
export const agentsOf = (
  q: Queryable,
  ctx: RequestContext,
  query: { limit?: number; offset?: number },
): Promise<Found> =>
  find(q, { scope: { ctx }, own: true }, { sort: 'createdAt', order: 'desc', ...pageOf(query) })

/** A page of the listed agents by trust, after a cursor. */
export async function discoverAgents(q: Queryable, query: Static<typeof DiscoverQuery>, real: Date) {
  const filter: Filter = { ...(await filterOf(q, query, real)), scope: 'listed' }
  const limit = query.limit ?? 20
  const before = query.cursor ? readCursor(query.cursor) : undefined
  const { agents, counted } = await withMatches(filter, async used => {
    const [agents, counted] = await Promise.all([
      q.rows(
        findAgents({ ...used, before }, { sort: 'trustScore', order: 'desc', limit: limit + 1, offset: 0 }),
      ),
      count(q, used),
    ])
    return { agents, counted }
  })
  const page = agents.slice(0, limit)
  const last = page.at(-1)
  return { agents: page, counted, nextCursor: agents.length > limit && last ? writeCursor(last) : null }
}

async function find(q: Queryable, filter: Filter, order: Parameters<typeof findAgents>[1]): Promise<Found> {
  if (order.sort === 'relevance') return findRelevant(q, filter, order)
  const [agents, counted] = await Promise.all([q.rows(findAgents(filter, order)), count(q, filter)])
  return { agents, counted }
}

/**
 * To rank means to read every match. The matches of words that most agents have are all alike, so they come in the order
 * of trust.
 */
async function findRelevant(
  q: Queryable,
  filter: Filter,
  order: Parameters<typeof findAgents>[1],
): Promise<Found> {
  const counted = await count(q, filter)
  const sort = counted > RANKED_MAX ? 'trustScore' : 'relevance'
  return { agents: await q.rows(findAgents(filter, { ...order, sort })), counted }
}

const count = async (q: Queryable, filter: Filter): Promise<number> =>
  (await q.one(countAgents(filter, TOTAL_CAP + 1))).counted

const words = (csv: string | undefined): string[] => (csv ?? '').split(',').map(tidyName).filter(Boolean)

const NO_SEARCH = { parsed: undefined, beginning: null }

/** An invalid id is an unknown account, which has no agent. */
const accountIdOf = (id: string | undefined): string | null | undefined =>
  id === undefined || isId(id) ? id : null

async function filterOf(q: Queryable, query: Filters, real: Date): Promise<Omit<Filter, 'scope'>> {
  const { status, visibility, conduit, minReputation } = query
  const capabilities = words(query.capabilities)
  const search = query.search?.trim()
  const { parsed, beginning } = search ? await q.one(parseSearch(search)) : NO_SEARCH
  return {
    search: parsed,
    searchElse: beginning ?? undefined,
    category: query.category && tidyName(query.category),
    tag: query.tag && tidyName(query.tag),
    capabilities: capabilities.length ? capabilities : undefined,
    maxPrice:
      query.maxPrice === undefined
        ? undefined
        : parseAmount(query.maxPrice, { field: 'maxPrice', zero: true }),
    creatorId: accountIdOf(query.creatorId),
    ownerId: accountIdOf(query.ownerId),
    verified: query.verifiedOnly || query.filterVerified,
    seenSince: query.filterOnline ? after(real, -PRESENCE_STALE) : undefined,
    status,
    visibility,
    conduit,
    minReputation,
    role: query.filterRole,
  }
}

const writeCursor = ({ trustScore, id }: Agent): string =>
  Buffer.from(`${trustScore} ${id}`).toString('base64url')

function readCursor(cursor: string): { score: number; id: string } {
  const [score = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!/^\d{1,3}$/.test(score) || !isId(id)) throw invalid('cursor must be the nextCursor of a former answer')
  return { score: Number(score), id }
}
