import { identifier, joined, json, part, sql } from '#platform/sql'
import type { Agent, TrustTier } from './agent.ts'

/** Every column but the search vector, named as in `Agent`. */
export const AGENT_COLUMNS = part`id, slug, name, description, categories, tags, capabilities,
  pricing_model as "pricingModel", price, price_currency as "priceCurrency", visibility, role, conduit,
  ap2_endpoint as "ap2Endpoint", input_schema as "inputSchema", output_schema as "outputSchema",
  fulfillment_types as "fulfillmentTypes", status, suspended_from as "suspendedFrom",
  creator_id as "creatorId", claimed_by_id as "claimedById", owner_id as "ownerId", creator_detached_at as "creatorDetachedAt",
  wallet_id as "walletId",
  x402_wallet_address as "x402WalletAddress", trust_tier as "trustTier", trust_score as "trustScore", completions,
  executions, rating::float8 as rating, last_seen_at as "lastSeenAt", presence_status as "presenceStatus",
  presence_load as "presenceLoad", created_at as "createdAt", updated_at as "updatedAt"`

export const agentById = (id: string) => sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where id = ${id}`
export const agentsByIds = (ids: readonly string[]) =>
  sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where id = any(${ids}::uuid[])`
export const agentBySlug = (slug: string) => sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where slug = ${slug}`
// NO KEY: a new deal that refers to the agent does not wait for it.
export const lockAgent = (id: string) =>
  sql<Agent>`select ${AGENT_COLUMNS} from agents_agent where id = ${id} for no key update`
export const takenSlugs = (slugs: string[]) =>
  sql<{ slug: string }>`select slug from agents_agent where slug = any(${slugs})`
export const agentsOfOwner = (accountId: string) => sql<Agent>`select ${AGENT_COLUMNS} from agents_agent
  where owner_id = ${accountId} order by id for update`

const JSON_COLUMNS = new Set(['input_schema', 'output_schema'])
const valueOf = ([name, value]: [string, unknown]) =>
  JSON_COLUMNS.has(name) && value !== null ? part`${json(value)}::jsonb` : part`${value}`

/** No row when the slug is taken. */
export function insertAgent(columns: Record<string, unknown>) {
  const entries = Object.entries(columns)
  return sql`insert into agents_agent (${joined(
    entries.map(([name]) => identifier(name)),
    ', ',
  )})
    values (${joined(entries.map(valueOf), ', ')}) on conflict (slug) do nothing`
}

export function updateAgent(id: string, columns: Record<string, unknown>) {
  const sets = Object.entries(columns).map(entry => part`${identifier(entry[0])} = ${valueOf(entry)}`)
  return sql`update agents_agent set ${joined(sets, ', ')} where id = ${id}`
}

export const setTrust = (id: string, trust: { tier: TrustTier; score: number; completions?: number }) => sql`
  update agents_agent set trust_tier = ${trust.tier}, trust_score = ${trust.score},
    completions = coalesce(${trust.completions ?? null}::int, completions)
  where id = ${id}`

export const setPresence = (id: string, beat: { status: string; load: number | null; at: Date }) => sql`
  update agents_agent set presence_status = ${beat.status}, presence_load = ${beat.load}, last_seen_at = ${beat.at}
  where id = ${id}`

export const setClaimedBy = (id: string, accountId: string, now: Date) => sql`
  update agents_agent set claimed_by_id = ${accountId}, updated_at = ${now} where id = ${id}`

export const setCreatorDetached = (id: string, now: Date) => sql`
  update agents_agent set creator_detached_at = ${now}, updated_at = ${now} where id = ${id}`

export const insertClaimToken = (token: { hash: Buffer; agentId: string; createdAt: Date; expiresAt: Date }) => sql`
  insert into agents_claim_token (token_hash, agent_id, created_at, expires_at)
  values (${token.hash}, ${token.agentId}, ${token.createdAt}, ${token.expiresAt})`

/** Locks the token that is good now. */
export const usableClaimToken = (hash: Buffer, real: Date) => sql<{ agentId: string }>`
  select agent_id as "agentId" from agents_claim_token
  where token_hash = ${hash} and used_at is null and expires_at > ${real} for update`

/** Leaves the token as it is. */
export const claimTokenOf = (hash: Buffer) => sql<{ agentId: string; usedAt: Date | null; expiresAt: Date }>`
  select agent_id as "agentId", used_at as "usedAt", expires_at as "expiresAt" from agents_claim_token
  where token_hash = ${hash}`

export const useClaimToken = (hash: Buffer, accountId: string, real: Date) => sql`
  update agents_claim_token set used_at = ${real}, used_by_id = ${accountId} where token_hash = ${hash}`

export const slugExists = (slug: string) =>
  sql<{ exists: boolean }>`select exists (select from agents_agent where slug = ${slug}) as exists`

/** By what a listing is known. Under no lock: deals come before agents. */
export const listingsOf = (accountId: string) => sql<{ slug: string; name: string; address: string | null; since: Date }>`
  select slug, name, x402_wallet_address as address, named_at as since from agents_agent where owner_id = ${accountId}`

/** What was said of an agent on its way, by its owner and by operators. */
export const forgetNotesOn = (agentId: string) => sql`
  update agents_agent_history set details = details - 'notes' where subject_id = ${agentId} and details ? 'notes'`

/** What an operator said of others' agents. */
export const forgetNotesBy = (operatorId: string) => sql`
  update agents_agent_history set details = details - 'notes'
  where actor = 'operator' and actor_id = ${operatorId} and details ? 'notes'`
