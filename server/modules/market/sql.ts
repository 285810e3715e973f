import { agentSummary } from '#agents'
import { searchQuery } from '#platform/kernel/database/text-search'
import { insertHistory, type HistoryLine } from '#platform/kernel/machine'
import { column, identifier, joined, json, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { Need, NeedWithParty, Offer, OfferWithParty } from './rows.ts'

const NEED = part`n.id, n.status, n.account_id, n.organization_id, n.agent_id, n.title, n.description, n.category, n.budget, n.currency,
  n.deadline, n.deliver_by, n.requirements, n.sealed_requirements, n.offer_id, n.ended_at, n.created_at, n.updated_at`
const NEED_VIEW = part`${NEED}, ${agentSummary(part`n.agent_id`)} as agent,
  (select count(*)::int from market_offer o where o.need_id = n.id and o.status = 'OPEN') as offers`
const OFFER_VIEW = part`o.*, ${agentSummary(part`o.agent_id`)} as agent, n.currency`

const valueOf = ([name, value]: [string, unknown]): SqlPart =>
  name === 'requirements' && value !== null ? part`${json(value)}::jsonb` : part`${value}`

/** Inserts a row; with `line`, also the begin of its history. */
export function insertWithHistory(table: string, row: object, line: HistoryLine) {
  const entries = Object.entries(row)
  const names = entries.map(([name]) => column(name))
  return sql`with row as (
      insert into ${identifier(table)} (${joined(names, ', ')}) values (${joined(entries.map(valueOf), ', ')}) returning id),
    history as (${insertHistory(table, [line])}) select id from row`
}

export const needById = (id: string) =>
  sql<NeedWithParty>`select ${NEED_VIEW} from market_need n where n.id = ${id}`
export const lockNeed = (id: string) =>
  sql<Need>`select ${NEED} from market_need n where n.id = ${id} for update`
/** Keeps the need as it is while an offer to it is inserted. */
export const shareNeed = (id: string) =>
  sql<Need>`select ${NEED} from market_need n where n.id = ${id} for share`

export const offerById = (id: string) => sql<OfferWithParty>`
  select ${OFFER_VIEW} from market_offer o join market_need n on n.id = o.need_id where o.id = ${id}`
export const lockOffer = (id: string) => sql<Offer>`select * from market_offer where id = ${id} for update`
/** The owner of the agent behind an offer, as a subquery. */
export const sellerOf = (offerId: string) =>
  part`select a.owner_id from market_offer o join agents_agent a on a.id = o.agent_id where o.id = ${offerId}::uuid`
/** The account of a need, as a subquery. */
export const buyerOf = (needId: string) => part`select account_id from market_need where id = ${needId}::uuid`

export const lockOpenOffers = (where: SqlPart) => sql<Offer>`
  select o.* from market_offer o where o.status = 'OPEN' and ${where} order by o.id for update`
export const lockOpenNeeds = (where: SqlPart) => sql<Need>`
  select ${NEED} from market_need n where n.status = 'OPEN' and ${where} order by n.id for update`

/** One need of an account is published after the other, so that they are counted. */
export const lockNeedsOf = (accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`market needs ${accountId}`}, 0))`
export const countOpenNeeds = (accountId: string, most: number) => sql<{ open: number }>`
  select count(*)::int as open from (
    select from market_need where account_id = ${accountId} and status = 'OPEN' limit ${most}) as found`

/** Moves locked offers to one state, with their histories. */
export const moveOffers = (
  ids: readonly string[],
  set: Pick<Offer, 'status' | 'endedAt' | 'updatedAt'>,
  lines: readonly HistoryLine[],
) => sql`
  with moved as (update market_offer set status = ${set.status}, ended_at = ${set.endedAt}, updated_at = ${set.updatedAt}
      where id = any(${ids}::uuid[])),
    history as (${insertHistory('market_offer', lines)}) select 1`

export interface NeedFilter {
  search?: string
  category?: string
  status?: string
  minBudget?: bigint
  currency?: string
  /** Only needs of this account. */
  accountId?: string
  agentId?: string
  /** Only those that a key of this organization published. */
  organizationId?: string
  /** Not those of suspended accounts and agents: nobody can accept an offer to them. */
  isPublic?: boolean
}

const OF_SUSPENDED = part`(exists (select from identity_account b where b.id = n.account_id and b.status = 'SUSPENDED')
  or exists (select from agents_agent b where b.id = n.agent_id and b.status = 'SUSPENDED'))`

/** Whether a need belongs to a suspended account or agent. */
export const isOfSuspended = (id: string) =>
  sql<{ suspended: boolean }>`select ${OF_SUSPENDED} as suspended from market_need n where n.id = ${id}`

function needConditions(filter: NeedFilter): SqlPart {
  const { search, category, status, minBudget, currency, accountId, agentId, organizationId, isPublic } =
    filter
  const parts = [
    search && part`n.search @@ ${searchQuery(search)}`,
    category && part`lower(n.category) = lower(${category})`,
    status && part`n.status = ${status}`,
    minBudget !== undefined && part`n.budget >= ${minBudget}`,
    currency && part`n.currency = ${currency}`,
    accountId && part`n.account_id = ${accountId}::uuid`,
    agentId !== undefined && part`n.agent_id = ${agentId}::uuid`,
    organizationId && part`n.organization_id = ${organizationId}::uuid`,
    isPublic && part`not ${OF_SUSPENDED}`,
  ]
  return joined(
    parts.filter(each => typeof each === 'object'),
    ' and ',
  )
}

export function findNeeds(filter: NeedFilter, { limit, offset }: { limit: number; offset: number }) {
  // Needs of equal relevance, and all without a search: the newest first.
  const rank = filter.search ? part`ts_rank(n.search, ${searchQuery(filter.search)}, 1) desc,` : part``
  return sql<NeedWithParty>`select ${NEED_VIEW} from market_need n
    where ${needConditions(filter)} order by ${rank} n.id desc limit ${limit} offset ${offset}`
}

/** The number of matches, counted up to `most`. */
export const countNeeds = (filter: NeedFilter, most: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from market_need n where ${needConditions(filter)} limit ${most}) as found`

/** Offers by an agent that the account owns, or created and may operate. */
export const byAgentsOf = (accountId: string) => part`o.agent_id in (select a.id from agents_agent a
  where a.owner_id = ${accountId} or (a.creator_id = ${accountId} and a.creator_detached_at is null))`

export const findOffers = (
  where: SqlPart,
  { limit, offset }: { limit: number; offset: number },
) => sql<OfferWithParty>`
  select ${OFFER_VIEW} from market_offer o join market_need n on n.id = o.need_id
  where ${where} order by o.id desc limit ${limit} offset ${offset}`
export const countOffers = (where: SqlPart, most: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from market_offer o where ${where} limit ${most}) as found`

/** What an agent has open in the market follows it to its owner. */
export const moveNeedsToOwner = ({ agentId, from, to }: Claim) => sql`
  update market_need set account_id = ${to} where account_id = ${from} and agent_id = ${agentId} and status = 'OPEN'`
export const moveOffersToOwner = ({ agentId, from, to }: Claim) => sql`
  update market_offer set account_id = ${to} where account_id = ${from} and agent_id = ${agentId} and status = 'OPEN'`
export interface Claim {
  agentId: string
  /** The accounts that owned it and that owns it now. */
  from: string
  to: string
}

const REMOVED = '[removed]'
export const eraseNeedsOf = (accountId: string) => sql`
  update market_need set title = ${REMOVED}, description = '', category = 'general', requirements = null, sealed_requirements = null
  where account_id = ${accountId}`
export const eraseOffersOf = (accountId: string) => sql`
  update market_offer set message = null, estimated_delivery = null where account_id = ${accountId}`
