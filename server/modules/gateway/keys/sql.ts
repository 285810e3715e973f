import { column, joined, part, sql } from '#platform/kernel/sql'
import type { KeyLimits, RoutingKey } from '../core/key.ts'

/** What the owner of a key may set. */
export interface KeySettings
  extends KeyLimits, Pick<RoutingKey, 'maxPriceUsd' | 'errorFormat' | 'cacheSeconds' | 'redactPii'> {
  name: string
  allowedModels: string[]
  expiresAt: Date | null
}

export interface KeyRow extends KeySettings {
  id: string
  accountId: string
  lastFour: string
  status: 'ACTIVE' | 'REVOKED'
  createdAt: Date
  /** Real time. */
  lastUsedAt: Date | null
}

const SETTINGS = [
  'name',
  'rpm',
  'tpm',
  'parallel',
  'dailyUsd',
  'weeklyUsd',
  'monthlyUsd',
  'endUserDailyUsd',
  'allowedModels',
  'maxPriceUsd',
  'errorFormat',
  'cacheSeconds',
  'redactPii',
  'expiresAt',
] as const satisfies readonly (keyof KeySettings)[]
const NAMES = joined(SETTINGS.map(column), ', ')
const KEY = part`id, account_id, last_four, status, created_at, last_used_at, ${NAMES}`

const valuesOf = (settings: KeySettings) =>
  joined(
    SETTINGS.map(name => part`${settings[name]}`),
    ', ',
  )

/** Keys of one account are created one after the other: their number and the first one are exact. */
export const lockKeysOf = (accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`routing keys ${accountId}`}, 0))`

export const countKeys = (accountId: string) => sql<{ active: number; ever: number }>`
  select count(*) filter (where status = 'ACTIVE')::int as active, count(*)::int as ever from gateway_key
  where account_id = ${accountId}`

export const insertKey = (
  key: { id: string; accountId: string; hash: Buffer; lastFour: string },
  settings: KeySettings,
  now: Date,
) => sql<KeyRow>`
  insert into gateway_key (id, account_id, hash, last_four, created_at, updated_at, ${NAMES})
  values (${key.id}, ${key.accountId}, ${key.hash}, ${key.lastFour}, ${now}, ${now}, ${valuesOf(settings)})
  returning ${KEY}`

/** The newest first; their number is bounded by `lockKeysOf` and `countKeys`, but revoked ones stay. */
export const keysOf = (accountId: string, limit: number) => sql<KeyRow>`
  select ${KEY} from gateway_key where account_id = ${accountId}
  order by status = 'ACTIVE' desc, created_at desc, id desc limit ${limit}`

export const keyOf = (accountId: string, id: string) =>
  sql<KeyRow>`select ${KEY} from gateway_key where id = ${id} and account_id = ${accountId}`

export const lockKey = (id: string) => sql<KeyRow>`select ${KEY} from gateway_key where id = ${id} for update`

export const updateKey = (id: string, settings: KeySettings, now: Date) => sql<KeyRow>`
  update gateway_key set updated_at = ${now}, (${NAMES}) = row (${valuesOf(settings)})
  where id = ${id} returning ${KEY}`

export const revokeKey = (id: string, now: Date) => sql<KeyRow>`
  update gateway_key set status = 'REVOKED', revoked_at = ${now}, updated_at = ${now}
  where id = ${id} and status = 'ACTIVE' returning ${KEY}`

export const revokeKeysOf = (accountId: string, now: Date) => sql<{ id: string }>`
  update gateway_key set status = 'REVOKED', revoked_at = ${now}, updated_at = ${now}
  where account_id = ${accountId} and status = 'ACTIVE' returning id`

/** Erases what the account wrote: names of keys. The rows stay for the usage that names them. */
export const eraseKeysOf = (accountId: string) => [
  sql`update gateway_key set name = '' where account_id = ${accountId}`,
  sql`delete from gateway_config where account_id = ${accountId}`,
]

export interface ConfigRow {
  defaultModel: string | null
  midThreshold: number | null
  premiumThreshold: number | null
  allow: string[] | null
  deny: string[] | null
  maxPriceUsd: bigint | null
  lambda: number | null
  sticky: boolean | null
  fallbacks: boolean | null
}

/** A key as the gateway proves and uses it, with the routing configuration of its account. */
export interface HeldKeyRow
  extends Omit<KeyRow, 'name' | 'lastFour' | 'createdAt'>, Omit<ConfigRow, 'maxPriceUsd'> {
  /** In base64. */
  hash: string
  accountStatus: 'ACTIVE' | 'SUSPENDED' | 'DELETED'
  accountMaxPriceUsd: bigint | null
}

/** The keys with some hashes. */
export const heldKeys = (hashes: readonly Buffer[]) => sql<HeldKeyRow>`
  select k.id, k.account_id, k.status, k.rpm, k.tpm, k.parallel, k.daily_usd, k.weekly_usd, k.monthly_usd,
    k.end_user_daily_usd, k.allowed_models, k.max_price_usd, k.error_format, k.cache_seconds, k.redact_pii, k.expires_at,
    k.last_used_at, encode(k.hash, 'base64') as hash, a.status as account_status,
    c.default_model, c.mid_threshold, c.premium_threshold, c.allow, c.deny, c.max_price_usd as account_max_price_usd,
    c.lambda, c.sticky, c.fallbacks
  from gateway_key k join identity_account a on a.id = k.account_id
    left join gateway_config c on c.account_id = k.account_id
  where k.hash = any(${hashes}::bytea[])`

export const touchKeys = (ids: readonly string[], real: Date, staleBefore: Date) => sql`
  update gateway_key set last_used_at = ${real}
  where id = any(${ids}::uuid[]) and (last_used_at is null or last_used_at <= ${staleBefore})`

export const configOfAccount = (accountId: string) =>
  sql<ConfigRow>`select * from gateway_config where account_id = ${accountId}`

export const insertConfig = (accountId: string, now: Date) => sql`
  insert into gateway_config (account_id, updated_at) values (${accountId}, ${now}) on conflict do nothing`

export const lockConfig = (accountId: string) =>
  sql<ConfigRow>`select * from gateway_config where account_id = ${accountId} for update`

export const updateConfig = (accountId: string, row: ConfigRow, now: Date) => sql`
  update gateway_config set default_model = ${row.defaultModel}, mid_threshold = ${row.midThreshold},
    premium_threshold = ${row.premiumThreshold}, allow = ${row.allow}, deny = ${row.deny},
    max_price_usd = ${row.maxPriceUsd}, lambda = ${row.lambda}, sticky = ${row.sticky}, fallbacks = ${row.fallbacks},
    updated_at = ${now}
  where account_id = ${accountId}`

/** What a key has cost since three moments, in micro-USD with fee. The hours of UTC begin days, weeks and months. */
export const usageOfKey = (
  { accountId, id }: Pick<KeyRow, 'accountId' | 'id'>,
  { day, week, month }: { day: Date; week: Date; month: Date },
) => sql<{ day: bigint; week: bigint; month: bigint; requests: bigint }>`
  select coalesce(sum(cost + fee) filter (where hour >= ${day}), 0)::bigint as day,
    coalesce(sum(cost + fee) filter (where hour >= ${week}), 0)::bigint as week,
    coalesce(sum(cost + fee) filter (where hour >= ${month}), 0)::bigint as month,
    coalesce(sum(requests) filter (where hour >= ${day}), 0)::bigint as requests
  from gateway_usage_hour
  where account_id = ${accountId} and key_id = ${id} and hour >= least(${week}::timestamptz, ${month}::timestamptz)`
