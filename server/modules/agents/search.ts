import type { Static } from 'typebox'
import { after } from '#platform/clock'
import type { Db } from '#platform/db'
import { invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { pageOf, TOTAL_CAP } from '#platform/http/schema'
import { isId } from '#platform/id'
import { parseAmount } from '#platform/money'
import type { Agent } from './agent.ts'
import { PRESENCE_STALE } from './presence.ts'
import type { DiscoverQuery, ListQuery } from './search-schema.ts'
import { countAgents, findAgents, type Filter, type SortKey } from './search-sql.ts'

export interface Found {
  agents: Agent[]
  counted: number
}

type Filters = Partial<Static<typeof ListQuery>>

/** GET /agents: what is PUBLIC and ACTIVE; `showAll` adds the caller's own, for an admin everything. */
export async function listAgents(
  db: Db,
  actor: Actor | null,
  query: Static<typeof ListQuery>,
  real: Date,
): Promise<Found> {
  const filter = filterOf(query, real)
  const scope = !query.showAll || !actor ? 'listed' : actor.role === 'ADMIN' ? 'all' : { actor }
  const wanted = query.sortBy ?? 'relevance'
  const sort: SortKey = wanted === 'relevance' && !filter.search ? 'createdAt' : wanted
  const order = query.sortOrder ?? (sort === 'price' ? 'asc' : 'desc')
  return find(db, { ...filter, scope }, { sort, order, ...pageOf(query) })
}

/** The agents that the caller's account owns, or made and may operate, the newest first. */
export const agentsOf = (db: Db, actor: Actor, query: { limit?: number; offset?: number }): Promise<Found> =>
  find(db, { scope: { actor }, own: true }, { sort: 'createdAt', order: 'desc', ...pageOf(query) })

/** GET /agents/discover: the listed agents by trust, page after page by a cursor. */
export async function discoverAgents(db: Db, query: Static<typeof DiscoverQuery>, real: Date) {
  const filter: Filter = { ...filterOf(query, real), scope: 'listed' }
  const limit = query.limit ?? 20
  const [agents, counted] = await Promise.all([
    db.rows(
      findAgents(
        { ...filter, before: query.cursor ? readCursor(query.cursor) : undefined },
        { sort: 'trustScore', order: 'desc', limit: limit + 1, offset: 0 },
      ),
    ),
    count(db, filter),
  ])
  const page = agents.slice(0, limit)
  const last = page.at(-1)
  return { agents: page, counted, nextCursor: agents.length > limit && last ? writeCursor(last) : null }
}

async function find(db: Db, filter: Filter, order: Parameters<typeof findAgents>[1]): Promise<Found> {
  const [agents, counted] = await Promise.all([db.rows(findAgents(filter, order)), count(db, filter)])
  return { agents, counted }
}

const count = async (db: Db, filter: Filter): Promise<number> =>
  (await db.one(countAgents(filter, TOTAL_CAP + 1))).counted

const words = (csv: string | undefined): string[] =>
  (csv ?? '')
    .split(',')
    .map(word => word.trim())
    .filter(Boolean)

function filterOf(query: Filters, real: Date): Omit<Filter, 'scope'> {
  const { status, visibility, conduit, minReputation } = query
  const capabilities = words(query.capabilities)
  return {
    search: query.search?.trim() || undefined,
    category: query.category,
    tag: query.tag,
    capabilities: capabilities.length ? capabilities : undefined,
    maxPrice: query.maxPrice === undefined ? undefined : parseAmount(query.maxPrice, { field: 'maxPrice', zero: true }),
    // What is no id is an unknown account: it created nothing.
    creatorId: query.creatorId === undefined ? undefined : isId(query.creatorId) ? query.creatorId : null,
    verified: query.verifiedOnly || query.filterVerified,
    seenSince: query.filterOnline ? after(real, -PRESENCE_STALE) : undefined,
    status,
    visibility,
    conduit,
    minReputation,
    role: query.filterRole,
  }
}

const writeCursor = ({ trustScore, id }: Agent): string => Buffer.from(`${trustScore} ${id}`).toString('base64url')

function readCursor(cursor: string): { score: number; id: string } {
  const [score = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!/^\d{1,3}$/.test(score) || !isId(id)) throw invalid('cursor must be the nextCursor of a former answer')
  return { score: Number(score), id }
}
