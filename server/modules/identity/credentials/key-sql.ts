import type { Scope } from '#platform/http/principal'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import type { Account, Role, UserType } from '../account/account.ts'

/** What a presented key proves, and whether it still does. */
export interface KeyHolder {
  keyId: string
  kind: 'sk' | 'sa' | 'rk'
  keyStatus: 'ACTIVE' | 'GRACE' | 'REVOKED'
  graceUntil: Date | null
  createdAt: Date
  lastUsedAt: Date | null
  agentId: string | null
  organizationId: string | null
  serviceAccountId: string | null
  hasSpendingLimit: boolean
  scopes: Scope[] | null
  expiresAt: Date | null
  accountId: string
  userType: UserType
  role: Role
  accountStatus: 'ACTIVE' | 'SUSPENDED' | 'DELETED'
  /** The agent that the key is bound to is suspended. */
  agentSuspended: boolean
}

/** True if the key is bound to one agent or organization. */
export const isBoundKey = ({ agentId, organizationId }: KeyHolder): boolean =>
  agentId !== null || organizationId !== null

export const keyHolder = (hash: Buffer) => sql<KeyHolder>`
  select k.id as key_id, k.kind, k.status as key_status, k.grace_until,
    k.created_at, k.last_used_at, s.agent_id, s.organization_id, s.scopes,
    s.expires_at, s.id as service_account_id, s.spending_limit is not null as has_spending_limit,
    coalesce(s.suspended, false) as agent_suspended, a.id as account_id, a.user_type, a.role,
    a.status as account_status
  from identity_key k join identity_account a on a.id = k.account_id
    left join identity_service_account s on s.id = k.service_account_id
  where k.hash = ${hash}`

/**
 * Waits for what is about to narrow or end a key, and keeps it from happening until this transaction is over. Locks in
 * the order in which all others do: account, service account, key.
 */
export const lockKeyForShare = (keyId: string) => sql`
  select from identity_account a join identity_service_account s on s.account_id = a.id
    join identity_key k on k.service_account_id = s.id
  where k.id = ${keyId} for share`

export const touchKey = (keyId: string, real: Date, staleBefore: Date) => sql`
  update identity_key set last_used_at = ${real}
  where id = ${keyId} and (last_used_at is null or last_used_at <= ${staleBefore})`

/**
 * `proves_since`: the key proves its owner to sessions that began later. A key that is made with its account counts as
 * old as the account; one that replaces `inheritsFrom` counts as old as that key.
 */
export const insertKey = (key: {
  id: string
  accountId: string
  serviceAccountId: string
  kind: string
  agentId: string | null
  hash: Buffer
  lastFour: string
  createdAt: Date
  real: Date
  inheritsFrom: string | null
}) => sql`
  insert into identity_key (id, account_id, service_account_id, kind, agent_id, hash, last_four, created_at,
    proves_since)
  select ${key.id}::uuid, a.id, ${key.serviceAccountId}::uuid, ${key.kind}, ${key.agentId}::uuid, ${key.hash}::bytea,
    ${key.lastFour}, ${key.createdAt}::timestamptz,
    coalesce(
      (select proves_since from identity_key where id = ${key.inheritsFrom}::uuid),
      case when a.created_at = ${key.createdAt} then '-infinity' else ${key.real}::timestamptz end)
  from identity_account a where a.id = ${key.accountId}`

/** Whether a key is older than a session. */
export const isKeyOlder = (keyId: string, sessionId: string) => sql<{ older: boolean }>`
  select k.proves_since <= s.created_at as older from identity_key k, identity_session s
  where k.id = ${keyId} and s.id = ${sessionId}`

/**
 * Whether a key is older than every session of its account that is open or ended after `endedSince`: one of them may
 * have been stolen and have made the key.
 */
export const isKeyOldest = (keyId: string, endedSince: Date) => sql<{ oldest: boolean }>`
  select not exists (
    select from identity_session s where s.account_id = k.account_id and s.created_at < k.proves_since
      and (s.ended_at is null or s.ended_at > ${endedSince})
  ) as oldest
  from identity_key k where k.id = ${keyId}`

/** The service account of an agent's own keys, made on first use; a later key makes a revoked one active again. */
export const agentServiceAccount = (input: {
  id: string
  accountId: string
  agentId: string
  scopes: readonly Scope[]
  now: Date
}) => sql<{ id: string }>`
  insert into identity_service_account as s (id, account_id, kind, agent_id, name, scopes, created_at, updated_at)
  values (${input.id}, ${input.accountId}, 'sa', ${input.agentId}, 'Agent key', ${input.scopes}, ${input.now},
    ${input.now})
  on conflict (agent_id) where kind = 'sa' do update set status = 'ACTIVE', revoked_at = null,
    account_id = excluded.account_id, updated_at = excluded.updated_at
  returning s.id`

export const agentKeyCounts = (agentId: string) => sql<{ active: number; ever: number }>`
  select count(*) filter (where status = 'ACTIVE')::int as active, count(*)::int as ever from identity_key
  where agent_id = ${agentId}`

export const planAndRevokedAgents = (accountId: SqlPart, agentIds: SqlPart) => sql<{
  plan: Account['plan']
  revokedAgents: string[]
}>`
  select a.plan, array(select agent_id::text from identity_key where agent_id in (${agentIds})
    group by agent_id having count(*) filter (where status = 'ACTIVE') = 0) as revoked_agents
  from identity_account a where a.id in (${accountId})`

export interface ServiceAccount {
  id: string
  kind: 'sk' | 'sa'
  accountId: string
  name: string
  description: string
  agentId: string | null
  organizationId: string | null
  scopes: Scope[]
  status: 'ACTIVE' | 'REVOKED'
  /** Last four characters of the active key, null when there is none. */
  lastFour: string | null
  lastUsedAt: Date | null
  expiresAt: Date | null
  /** Real time, for keys that end by themselves (temporary.ts); null for others. */
  renewableUntil: Date | null
  /** The most that the keys may pay into escrow, in micro-units; null for no limit. */
  spendingLimit: bigint | null
  createdAt: Date
}

const SERVICE_ACCOUNT = part`s.id, s.kind, s.account_id, s.name, s.description, s.agent_id,
  s.organization_id, s.scopes, s.status,
  s.expires_at, s.renewable_until, s.spending_limit, s.created_at,
  (select k.last_four from identity_key k where k.service_account_id = s.id and k.status = 'ACTIVE') as last_four,
  (select max(k.last_used_at) from identity_key k where k.service_account_id = s.id) as last_used_at`

export const serviceAccountById = (id: string) =>
  sql<ServiceAccount>`select ${SERVICE_ACCOUNT} from identity_service_account s where s.id = ${id} and s.kind = 'sk'`

/** The one that holds the `sa_` keys of an agent too. */
export const anyServiceAccountById = (id: string) =>
  sql<ServiceAccount>`select ${SERVICE_ACCOUNT} from identity_service_account s where s.id = ${id}`

export const insertServiceAccount = (input: {
  id: string
  accountId: string
  name: string
  description: string
  scopes: readonly Scope[]
  expiresAt: Date | null
  renewableUntil: Date | null
  spendingLimit: bigint | null
  agentId: string | null
  organizationId: string | null
  now: Date
}) => sql`
  insert into identity_service_account (id, account_id, kind, name, description, scopes, expires_at, renewable_until, spending_limit,
    agent_id, organization_id, created_at, updated_at)
  values (${input.id}, ${input.accountId}, 'sk', ${input.name}, ${input.description}, ${input.scopes},
    ${input.expiresAt}, ${input.renewableUntil}, ${input.spendingLimit}, ${input.agentId}, ${input.organizationId}, ${input.now}, ${input.now})`

/** A key and where it belongs. */
export interface PlacedKey {
  keyId: string
  accountId: string
  serviceAccountId: string
  kind: 'sk' | 'sa'
  agentId: string | null
  graceUntil: Date | null
}

const PLACED = part`id as key_id, account_id, service_account_id, kind,
  agent_id, grace_until`

export type KeyChoice = { keyId: string } | { serviceAccountId: string } | { accountId: string }

function chosen(choice: KeyChoice) {
  if ('keyId' in choice) return part`id = ${choice.keyId}`
  return 'accountId' in choice
    ? part`account_id = ${choice.accountId}`
    : part`service_account_id = ${choice.serviceAccountId}`
}

/** Locks the service accounts of keys before the keys. */
export const lockServiceAccounts = (choice: KeyChoice) => sql`
  select from identity_service_account s where ${ownersOf(choice)} order by s.id for update`

function ownersOf(choice: KeyChoice) {
  if ('keyId' in choice)
    return part`s.id = (select service_account_id from identity_key where id = ${choice.keyId})`
  return 'accountId' in choice
    ? part`s.account_id = ${choice.accountId}`
    : part`s.id = ${choice.serviceAccountId}`
}

/** No row when it is not the active key. */
export const beginGrace = (active: KeyChoice, until: Date) => sql<PlacedKey>`
  update identity_key set status = 'GRACE', grace_until = ${until} where ${chosen(active)} and status = 'ACTIVE'
  returning ${PLACED}`

export const revokeKeys = (choice: KeyChoice, now: Date) => sql<PlacedKey>`
  update identity_key set status = 'REVOKED', revoked_at = ${now} where ${chosen(choice)} and status <> 'REVOKED'
  returning ${PLACED}`

/** Those whose time is over, and the oldest ones beyond `max`. */
export const revokeSurplusKeys = (serviceAccountId: string, max: number, now: Date) => sql<PlacedKey>`
  update identity_key set status = 'REVOKED', revoked_at = ${now}
  where service_account_id = ${serviceAccountId} and status <> 'REVOKED' and (grace_until <= ${now} or id in (
    select id from identity_key where service_account_id = ${serviceAccountId} and status <> 'REVOKED'
    order by created_at desc, id desc offset ${max}))
  returning ${PLACED}`

export const countReplacedKeys = (serviceAccountId: string, now: Date) => sql<{ replaced: number }>`
  select count(*)::int as replaced from identity_key
  where service_account_id = ${serviceAccountId} and status = 'GRACE' and grace_until > ${now}`

export const setServiceAccountRevoked = (id: string, now: Date) => sql`
  update identity_service_account set status = 'REVOKED', revoked_at = ${now}, updated_at = ${now}
  where id = ${id} and status = 'ACTIVE'`

/** Its own first, then those that were made for it alone; locked. */
export const serviceAccountsOfAgent = (agentId: string) => sql<{ id: string; kind: 'sk' | 'sa' }>`
  select id, kind from identity_service_account where agent_id = ${agentId} order by kind = 'sa' desc, id for update`

/** Those that one account made for one agent; locked. */
export const boundServiceAccounts = (agentId: string, accountId: string) => sql<{ id: string }>`
  select id from identity_service_account where agent_id = ${agentId} and account_id = ${accountId} and kind = 'sk'
  order by id for update`

/** A replaced key is in its grace period beside a newer one; keys of OAuth clients have no newer one. */
export const serviceAccountOfKey = (keyId: string) => sql<
  Pick<ServiceAccount, 'id' | 'accountId' | 'agentId' | 'organizationId'> & { replaced: boolean }
>`
  select s.id, s.account_id, s.agent_id, s.organization_id, k.status = 'GRACE' and exists (
    select from identity_key n where n.service_account_id = s.id and n.status = 'ACTIVE') as replaced
  from identity_key k join identity_service_account s on s.id = k.service_account_id where k.id = ${keyId}`

export const setAgentSuspended = (agentId: string, suspended: boolean, now: Date) => sql`
  update identity_service_account set suspended = ${suspended}, updated_at = ${now} where agent_id = ${agentId}`

export const moveAgentKeys = (agentId: string, accountId: string) =>
  sql`update identity_key set account_id = ${accountId} where agent_id = ${agentId}`

export const moveAgentServiceAccount = (agentId: string, accountId: string, now: Date) => sql`
  update identity_service_account set account_id = ${accountId}, updated_at = ${now}
  where agent_id = ${agentId} and kind = 'sa'`

export const serviceAccountsOf = (
  accountId: string,
  page: { limit: number; offset: number },
) => sql<ServiceAccount>`
  select ${SERVICE_ACCOUNT} from identity_service_account s where s.account_id = ${accountId} and s.kind = 'sk'
  order by s.created_at desc, s.id desc limit ${page.limit} offset ${page.offset}`

export const countServiceAccounts = (accountId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from identity_service_account
  where account_id = ${accountId} and kind = 'sk' limit ${atMost}) capped`

/** Clients of one account are counted and connected one after the other. */
export const lockTemporary = (accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`temporary service accounts ${accountId}`}, 0))`

export const countActiveServiceAccounts = (accountId: string) => sql<{ active: number }>`
  select count(*)::int as active from identity_service_account
  where account_id = ${accountId} and kind = 'sk' and status = 'ACTIVE'`

export const unboundServiceAccounts = (accountId: string) => sql<{ id: string }>`
  select id from identity_service_account
  where account_id = ${accountId} and kind = 'sk' and status = 'ACTIVE' and agent_id is null and organization_id is null
  order by id for update`

/** Payments with the keys of a service account run one after the other; its row can be referred to meanwhile. */
export const lockSpendingLimit = (id: string) => sql<{ spendingLimit: bigint | null }>`
  select spending_limit from identity_service_account where id = ${id} for no key update`

export const lockServiceAccount = (id: string) =>
  sql`select from identity_service_account where id = ${id} for update`

export const updateServiceAccount = (
  id: string,
  fields: Pick<ServiceAccount, 'name' | 'description' | 'scopes' | 'expiresAt' | 'spendingLimit'>,
  now: Date,
) => sql`
  update identity_service_account set name = ${fields.name}, description = ${fields.description},
    scopes = ${fields.scopes}, expires_at = ${fields.expiresAt}, spending_limit = ${fields.spendingLimit},
    updated_at = ${now}
  where id = ${id} and status = 'ACTIVE'`
