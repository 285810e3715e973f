import { column, joined, json, part, pointRead, sql, type SqlPart } from '#platform/kernel/sql'
import type { Agent, TrustTier } from './agent.ts'

/** Every column but the search vector, named as in `Agent`. */
export const AGENT_COLUMNS = part`id, slug, name, description, categories, tags, capabilities,
  pricing_model, price, price_currency, visibility, role, conduit,
  ap2_endpoint, input_schema, output_schema,
  fulfillment_types, status, suspended_from,
  creator_id, claimed_by_id, owner_id, owner_suspended, creator_detached_at,
  wallet_id,
  x402_wallet_address, trust_tier, trust_score, completions,
  executions, rating::float8 as rating, last_seen_at, presence_status,
  presence_load, created_at, updated_at`

/** An `AgentSummary` as JSON, for a statement of another module that reads it with its own rows. */
export const agentSummary = (id: SqlPart) => part`(
  select json_build_object('id', a.id, 'slug', a.slug, 'name', a.name, 'status', a.status, 'creator_id', a.creator_id,
    'owner_id', a.owner_id, 'owner_suspended', a.owner_suspended, 'creator_detached_at', a.creator_detached_at,
    'wallet_id', a.wallet_id, 'trust_tier', a.trust_tier, 'output_schema', a.output_schema) from agents_agent a where a.id = ${id})`

/** The accounts that own some agents, as a subquery of ids. */
export const ownersOfAgents = (ids: readonly string[], slug: string | null) => part`
  select owner_id from agents_agent where id = any(${ids}::uuid[]) union all select owner_id from agents_agent where slug = ${slug}`

export const agentById = (id: string) =>
  pointRead(sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where id = ${id}`)
export const agentsByIds = (ids: readonly string[]) =>
  sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where id = any(${ids}::uuid[])`
export const listedAmong = (ids: readonly string[]) => sql<{ id: string; slug: string; name: string }>`
  select id, slug, name from agents_agent
  where id = any(${ids}::uuid[]) and status = 'ACTIVE' and visibility = 'PUBLIC' and not owner_suspended`
export const agentBySlug = (slug: string) =>
  pointRead(sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where slug = ${slug}`)
// NO KEY: a new deal that refers to the agent does not wait for it.
export const lockAgent = (id: string | SqlPart) =>
  sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where id = ${id} for no key update`
export const lockAgents = (ids: readonly string[]) =>
  sql`select from agents_agent where id = any(${ids}::uuid[]) order by id for no key update`
export const takenSlugs = (slugs: string[]) =>
  sql<{ slug: string }>`select slug from agents_agent where slug = any(${slugs})`
export const agentsOfOwner = (accountId: string) => sql<Agent>`select ${AGENT_COLUMNS} from agents_agent
  where owner_id = ${accountId} order by id for update`

/** Until the end of the transaction no other one that takes this lock gives the account an agent. */
export const lockAgentsOf = (accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`agents of ${accountId}`}, 0))`
export const countAgentsOf = (accountId: string, most: number) => sql<{ owned: number }>`
  select count(*)::int as owned from (
    select from agents_agent where owner_id = ${accountId} and status <> 'ARCHIVED' limit ${most}) as found`

export const agentIdsOfOwner = (accountId: string) =>
  sql<{ id: string }>`select id from agents_agent where owner_id = ${accountId}`

const JSON_COLUMNS = new Set(['inputSchema', 'outputSchema'])
const valueOf = ([name, value]: [string, unknown]) =>
  JSON_COLUMNS.has(name) && value !== null ? part`${json(value)}::jsonb` : part`${value}`

/** No row when the slug is taken. */
export function insertAgent(columns: Record<string, unknown>) {
  const entries = Object.entries(columns)
  return sql`insert into agents_agent (${joined(
    entries.map(([name]) => column(name)),
    ', ',
  )})
    values (${joined(entries.map(valueOf), ', ')}) on conflict (slug) do nothing`
}

export function updateAgent(id: string, columns: Record<string, unknown>) {
  const sets = Object.entries(columns).map(entry => part`${column(entry[0])} = ${valueOf(entry)}`)
  return sql`update agents_agent set ${joined(sets, ', ')} where id = ${id}`
}

export const setTrust = (
  id: string,
  trust: { tier?: TrustTier; score?: number; completions?: number },
) => sql`
  update agents_agent set trust_tier = coalesce(${trust.tier ?? null}::text, trust_tier),
    trust_score = coalesce(${trust.score ?? null}::int, trust_score),
    completions = coalesce(${trust.completions ?? null}::int, completions)
  where id = ${id}`

export const addExecution = (id: string) =>
  sql`update agents_agent set executions = executions + 1 where id = ${id}`

export const setRating = (id: string, mean: number | null) => sql`
  update agents_agent set rating = ${mean} where id = ${id}`

export const setRatings = (means: readonly { agentId: string; mean: number | null }[]) => sql`
  update agents_agent set rating = new.mean
  from unnest(${means.map(each => each.agentId)}::uuid[], ${means.map(each => each.mean)}::float8[]) as new (id, mean)
  where agents_agent.id = new.id`

export const setPresence = (id: string, beat: { status: string; load: number | null; at: Date }) => sql`
  update agents_agent set presence_status = ${beat.status}, presence_load = ${beat.load}, last_seen_at = ${beat.at},
    heartbeat_at = ${beat.at}
  where id = ${id}`

/** What the agent said of itself holds until `heardSince`; at most one write in ten seconds. */
export const setSeen = (id: string, { real, heardSince }: { real: Date; heardSince: Date }) => sql`
  update agents_agent set last_seen_at = ${real},
    presence_status = case when heartbeat_at >= ${heardSince} then presence_status else 'available' end,
    presence_load = case when heartbeat_at >= ${heardSince} then presence_load end
  where id = ${id} and (last_seen_at is null or last_seen_at < ${real}::timestamptz - interval '10 seconds')`

export const setClaimedBy = (id: string, accountId: string, now: Date) => sql`
  update agents_agent set claimed_by_id = ${accountId}, owner_suspended = false, updated_at = ${now} where id = ${id}`

export const setOwnerSuspended = (ownerId: string, isSuspended: boolean) => sql`
  update agents_agent set owner_suspended = ${isSuspended} where owner_id = ${ownerId}`

export const setCreatorDetached = (id: string, now: Date) => sql`
  update agents_agent set creator_detached_at = ${now}, updated_at = ${now} where id = ${id}`

export const insertClaimToken = (token: {
  hash: Buffer
  agentId: string
  createdAt: Date
  expiresAt: Date
}) => sql`
  insert into agents_claim_token (token_hash, agent_id, created_at, expires_at)
  values (${token.hash}, ${token.agentId}, ${token.createdAt}, ${token.expiresAt})`

/** Locks the valid token. */
export const usableClaimToken = (hash: Buffer, real: Date) => sql<{ agentId: string }>`
  select agent_id from agents_claim_token
  where token_hash = ${hash} and used_at is null and expires_at > ${real} for update`

/** Ends the open links of some agents, a subquery of ids. */
export const endClaimTokens = (agentIds: SqlPart, real: Date) => sql`
  update agents_claim_token set expires_at = ${real}
  where agent_id in (${agentIds}) and used_at is null and expires_at > ${real}`

/** A row if the agent has a link that can still be used. */
export const openClaimTokenOf = (agentId: string, real: Date) => sql`
  select from agents_claim_token t join agents_agent a on a.id = t.agent_id
  where t.agent_id = ${agentId} and t.used_at is null and t.expires_at > ${real} and a.claimed_by_id is null limit 1`

export interface ClaimToken {
  agentId: string
  usedAt: Date | null
  expiresAt: Date
}

/** Leaves the token as it is. */
export const claimTokenOf = (hash: Buffer) => sql<ClaimToken>`
  select agent_id, used_at, expires_at from agents_claim_token
  where token_hash = ${hash}`

export const useClaimToken = (hash: Buffer, accountId: string, real: Date) => sql`
  update agents_claim_token set used_at = ${real}, used_by_id = ${accountId} where token_hash = ${hash}`

export const slugExists = (slug: string) =>
  sql<{ exists: boolean }>`select exists (select from agents_agent where slug = ${slug}) as exists`

/** Erases the notes on the reviews of an agent, by its owner and by operators. */
export const eraseNotesOn = (agentId: string) => sql`
  update agents_agent_history set details = details - 'notes' where subject_id = ${agentId} and details ? 'notes'`

/** Erases the notes of an operator on agents of other accounts. */
export const eraseNotesBy = (operatorId: string) => sql`
  update agents_agent_history set details = details - 'notes'
  where actor = 'operator' and actor_id = ${operatorId} and details ? 'notes'`
