import type { Scope } from '#platform/http/actor'
import { sql } from '#platform/sql'
import type { Role, UserType } from '../account.ts'

/** What a presented key proves, and whether it still does. */
export interface KeyHolder {
  keyId: string
  kind: 'sk' | 'sa' | 'rk'
  keyStatus: 'ACTIVE' | 'GRACE' | 'REVOKED'
  graceUntil: Date | null
  lastUsedAt: Date | null
  agentId: string | null
  scopes: Scope[] | null
  expiresAt: Date | null
  accountId: string
  userType: UserType
  role: Role
  accountStatus: 'ACTIVE' | 'SUSPENDED' | 'DELETED'
}

export const keyHolder = (hash: Buffer) => sql<KeyHolder>`
  select k.id as "keyId", k.kind, k.status as "keyStatus", k.grace_until as "graceUntil", k.last_used_at as "lastUsedAt", k.agent_id as "agentId",
    s.scopes, s.expires_at as "expiresAt", a.id as "accountId", a.user_type as "userType", a.role, a.status as "accountStatus"
  from identity_key k join identity_account a on a.id = k.account_id left join identity_service_account s on s.id = k.service_account_id
  where k.hash = ${hash}`

export const touchKey = (keyId: string, real: Date, staleBefore: Date) => sql`
  update identity_key set last_used_at = ${real} where id = ${keyId} and (last_used_at is null or last_used_at <= ${staleBefore})`

export const insertKey = (key: {
  id: string; accountId: string; serviceAccountId: string | null; kind: string; agentId: string | null; hash: Buffer; lastFour: string; createdAt: Date
}) => sql`
  insert into identity_key (id, account_id, service_account_id, kind, agent_id, hash, last_four, created_at)
  values (${key.id}, ${key.accountId}, ${key.serviceAccountId}, ${key.kind}, ${key.agentId}, ${key.hash}, ${key.lastFour}, ${key.createdAt})`

/** The service account of an agent's own keys, made on first use; a later key makes a revoked one active again. */
export const agentServiceAccount = (input: { id: string; accountId: string; agentId: string; scopes: readonly Scope[]; now: Date }) => sql<{ id: string }>`
  insert into identity_service_account as s (id, account_id, kind, agent_id, name, scopes, created_at, updated_at)
  values (${input.id}, ${input.accountId}, 'sa', ${input.agentId}, 'Agent key', ${input.scopes}, ${input.now}, ${input.now})
  on conflict (agent_id) where kind = 'sa' do update set status = 'ACTIVE', revoked_at = null, account_id = excluded.account_id, updated_at = excluded.updated_at
  returning s.id`

export const agentKeyCounts = (agentId: string) => sql<{ active: number; ever: number }>`
  select count(*) filter (where status = 'ACTIVE')::int as active, count(*)::int as ever from identity_key where agent_id = ${agentId}`
