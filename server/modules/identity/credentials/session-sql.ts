import { part, sql } from '#platform/kernel/sql'
import type { Role, UserType } from '../account/account.ts'

/** The key that a session `s` began with, if any, and when it ends, in business time: null for never. */
export const KEY_OF_SESSION = part`left join identity_key k on k.id = s.key_id
    left join identity_service_account h on h.id = k.service_account_id`
export const KEY_END = part`least(k.grace_until, h.expires_at)`

/**
 * No row unless the account is active. Its row is locked: what shuts an account out comes wholly before this, or after
 * it and ends this session too.
 */
export const insertSession = (session: {
  id: string
  accountId: string
  method: string
  keyId: string | null
  ip: string | null
  userAgent: string | null
  isProof: boolean
  real: Date
}) => sql`
  insert into identity_session (id, account_id, method, key_id, ip, user_agent, is_proof, created_at, last_used_at)
  select ${session.id}::uuid, id, ${session.method}, ${session.keyId}::uuid, ${session.ip}, ${session.userAgent},
    ${session.isProof}::boolean, ${session.real}::timestamptz, ${session.real}::timestamptz
  from identity_account where id = ${session.accountId} and status = 'ACTIVE'
  for share`

/** Ends the oldest open sessions of an account beyond `max`. */
export const endOldestSessions = (accountId: string, max: number, real: Date) => sql`
  update identity_session set ended_at = ${real}, ended_reason = 'too_many' where id in (
    select id from identity_session where account_id = ${accountId} and ended_at is null
    order by created_at desc, id desc offset ${max})`

/** It stays open until the commit. */
export const lockOpenSessionForShare = (id: string, accountId: string) => sql<{ id: string }>`
  select id from identity_session where id = ${id} and account_id = ${accountId} and ended_at is null for share`

export const insertRefreshToken = (token: {
  hash: Buffer
  sessionId: string
  real: Date
  expiresAt: Date
}) => sql`
  insert into identity_refresh_token (hash, session_id, created_at, expires_at) values (${token.hash},
    ${token.sessionId}, ${token.real}, ${token.expiresAt})`

export interface SessionHolder {
  accountId: string
  userType: UserType
  role: Role
  accountStatus: 'ACTIVE' | 'SUSPENDED' | 'DELETED'
  endedAt: Date | null
  /** When the key that it began with ends, in business time; null for never, or without one. */
  keyEndsAt: Date | null
}

export const sessionHolder = (sessionId: string) => sql<SessionHolder>`
  select a.id as account_id, a.user_type, a.role, a.status as account_status, s.ended_at,
    ${KEY_END} as key_ends_at
  from identity_session s join identity_account a on a.id = s.account_id
    ${KEY_OF_SESSION}
  where s.id = ${sessionId}`

/**
 * Uses a refresh token up and puts another in its place, in one statement: of any number of callers one gets a row.
 * Nothing happens when the token is used, expired, of an ended session, of a session whose key has ended (`now` is
 * business time) or of an account that is not active. None outlives the session, which began after `begunAfter`.
 */
export const rotateRefreshToken = (token: {
  hash: Buffer
  newHash: Buffer
  real: Date
  now: Date
  expiresAt: Date
  begunAfter: Date
  ip: string
  userAgent: string | null
}) => sql<{
  sessionId: string
  accountId: string
}>`
  with used as (
    update identity_refresh_token t set used_at = ${token.real}
    from identity_session s join identity_account a on a.id = s.account_id
      ${KEY_OF_SESSION}
  where t.hash = ${token.hash} and t.used_at is null and t.expires_at > ${token.real}
      and s.id = t.session_id and s.ended_at is null and s.created_at > ${token.begunAfter} and a.status = 'ACTIVE'
      and coalesce(${KEY_END} > ${token.now}, true)
  returning t.session_id, s.account_id, s.created_at
  ), made as (
    insert into identity_refresh_token (hash, session_id, created_at, expires_at)
    select ${token.newHash}, session_id, ${token.real},
      least(${token.expiresAt}, created_at + (${token.real}::timestamptz - ${token.begunAfter}::timestamptz)) from used
  ), seen as (
    update identity_session set last_used_at = ${token.real}, ip = ${token.ip}, user_agent = ${token.userAgent}
    from used where id = used.session_id
  )
  select session_id, account_id from used`

/** A use of the token `hash` that the same client repeats: its successor `newHash` exists, and nobody has used it. */
const repeated = ({ hash, newHash, real, usedAfter }: Repetition) => part`
  from identity_refresh_token t join identity_refresh_token n on n.session_id = t.session_id
  where t.hash = ${hash} and t.used_at > ${usedAfter} and n.hash = ${newHash} and n.used_at is null and n.expires_at > ${real}`

/** The times are real time: of a token that was used before `usedAfter` nothing is repeated. */
export interface Repetition {
  hash: Buffer
  newHash: Buffer
  real: Date
  usedAfter: Date
}

/** The session of a repeated use, under the conditions of `rotateRefreshToken`. */
export const repeatRefresh = (
  token: Repetition & { now: Date; ip: string; userAgent: string | null },
) => sql<{
  sessionId: string
  accountId: string
}>`
  with found as (
    select s.id, s.account_id
    from identity_session s join identity_account a on a.id = s.account_id
      ${KEY_OF_SESSION}
    where s.id = (select t.session_id ${repeated(token)}) and s.ended_at is null and a.status = 'ACTIVE'
      and coalesce(${KEY_END} > ${token.now}, true)
  ), seen as (
    update identity_session s set last_used_at = ${token.real}, ip = ${token.ip}, user_agent = ${token.userAgent}
    from found where s.id = found.id
  )
  select id as session_id, account_id from found`

export interface RefreshTokenState {
  sessionId: string
  accountId: string
  usedAt: Date | null
  expiresAt: Date
  endedAt: Date | null
  suspended: boolean
  repeated: boolean
}

export const refreshTokenState = (token: Repetition) => sql<RefreshTokenState>`
  select t.session_id, s.account_id, t.used_at, t.expires_at,
    s.ended_at,
    a.status = 'SUSPENDED' as suspended,
    exists (select ${repeated(token)}) as repeated
  from identity_refresh_token t join identity_session s on s.id = t.session_id
    join identity_account a on a.id = s.account_id where t.hash = ${token.hash}`

export const endSession = (id: string, reason: string, real: Date) => sql`
  update identity_session set ended_at = ${real}, ended_reason = ${reason} where id = ${id} and ended_at is null`

export const endSessionOfToken = (hash: Buffer, reason: string, real: Date) => sql<{
  id: string
  accountId: string
}>`
  update identity_session set ended_at = ${real}, ended_reason = ${reason}
  where id = (select session_id from identity_refresh_token where hash = ${hash}) and ended_at is null
  returning id, account_id`

export const lockOpenSession = (id: string) => sql<{ accountId: string }>`
  select account_id from identity_session where id = ${id} and ended_at is null for no key update`

export const endSessionsOf = (accountId: string, reason: string, real: Date, except: string | null) => sql`
  update identity_session set ended_at = ${real}, ended_reason = ${reason}
  where account_id = ${accountId} and ended_at is null and id is distinct from ${except}::uuid`

export const endSessionsOfKeys = (keyIds: readonly string[], reason: string, real: Date) => sql`
  update identity_session set ended_at = ${real}, ended_reason = ${reason}
  where key_id = any(${keyIds}::uuid[]) and ended_at is null`

export const endSessionsOfServiceAccount = (serviceAccountId: string, reason: string, real: Date) => sql`
  update identity_session set ended_at = ${real}, ended_reason = ${reason}
  where key_id in (select id from identity_key where service_account_id = ${serviceAccountId}) and ended_at is null`

export interface SessionRow {
  id: string
  method: string
  ip: string | null
  userAgent: string | null
  createdAt: Date
  lastUsedAt: Date
}

/** Since when sessions began and were used last that can still be refreshed, and the business time. */
export interface Refreshable {
  begunAfter: Date
  usedAfter: Date
  now: Date
}

// A session lives as long as its last refresh token and its key.
const open = (accountId: string, { begunAfter, usedAfter, now }: Refreshable) => part`
  from identity_session s ${KEY_OF_SESSION}
  where s.account_id = ${accountId} and s.ended_at is null and s.last_used_at > ${usedAfter}
    and s.created_at > ${begunAfter} and coalesce(${KEY_END} > ${now}, true)`

export const openSessions = (
  accountId: string,
  at: Refreshable,
  page: { limit: number; offset: number },
) => sql<SessionRow>`
  select s.id, s.method, s.ip, s.user_agent, s.created_at, s.last_used_at ${open(accountId, at)}
  order by s.created_at desc, s.id desc limit ${page.limit} offset ${page.offset}`

export const countOpenSessions = (accountId: string, at: Refreshable, atMost: number) => sql<{
  counted: number
}>`
  select count(*)::int as counted from (select ${open(accountId, at)} limit ${atMost}) capped`

/** Housekeeping: what nobody can use any more. Used tokens stay to their end, so that a reuse is noticed. */
export const sweepRefreshTokens = (real: Date) =>
  sql`delete from identity_refresh_token where expires_at <= ${real}`
export const sweepSessions = (usedBefore: Date) => sql`
  delete from identity_session s where last_used_at < ${usedBefore} and not exists (select
    from identity_refresh_token t where t.session_id = s.id)`
