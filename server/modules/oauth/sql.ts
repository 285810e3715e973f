import type { Scope } from '#platform/http/principal'
import { sql } from '#platform/kernel/sql'

export interface Grant {
  id: string
  accountId: string
  clientHash: Buffer
  clientName: string
  redirectUri: string
  codeChallenge: string
  scopes: Scope[]
  spendingLimit: bigint
  codeHash: Buffer
  codeExpiresAt: Date
  serviceAccountId: string | null
  refreshHash: Buffer | null
  previousHash: Buffer | null
  refreshedAt: Date | null
}

export const insertGrant = (
  grant: Omit<Grant, 'serviceAccountId' | 'refreshHash' | 'previousHash' | 'refreshedAt'> & { now: Date },
) => sql`
  insert into oauth_grant (id, account_id, client_hash, client_name, redirect_uri, code_challenge, scopes,
    spending_limit, code_hash, code_expires_at, created_at)
  values (${grant.id}, ${grant.accountId}, ${grant.clientHash}, ${grant.clientName}, ${grant.redirectUri},
    ${grant.codeChallenge}, ${grant.scopes}, ${grant.spendingLimit}, ${grant.codeHash}, ${grant.codeExpiresAt},
    ${grant.now})`

/** The grant of a code or of a refresh token, the one before included; or the one with an id. */
export const grantOf = (hash: Buffer, id: string | null) => sql<{ id: string; accountId: string }>`
  select id, account_id from oauth_grant
  where code_hash = ${hash}::bytea or refresh_hash = ${hash}::bytea or previous_hash = ${hash}::bytea or id = ${id}::uuid`

export const lockGrant = (id: string) => sql<Grant>`
  select id, account_id, client_hash, client_name, redirect_uri, code_challenge, scopes, spending_limit, code_hash,
    code_expires_at, service_account_id, refresh_hash, previous_hash, refreshed_at
  from oauth_grant where id = ${id} for update`

export const setTokens = (
  id: string,
  tokens: { serviceAccountId: string; refreshHash: Buffer; previousHash: Buffer | null; real: Date },
) => sql`
  update oauth_grant set service_account_id = ${tokens.serviceAccountId}, refresh_hash = ${tokens.refreshHash},
    previous_hash = ${tokens.previousHash}, refreshed_at = ${tokens.real}
  where id = ${id}`

export const deleteGrant = (id: string) => sql`delete from oauth_grant where id = ${id}`

/** Exchanged ones that were renewed or given before some moments: their refresh tokens work no more. */
export const lockExpired = (accountId: string, before: { refreshed: Date; given: Date }) => sql<
  Pick<Grant, 'id' | 'accountId' | 'serviceAccountId'>
>`
  select id, account_id, service_account_id from oauth_grant
  where account_id = ${accountId} and service_account_id is not null
    and (refreshed_at < ${before.refreshed} or code_expires_at <= ${before.given}) order by id for update`

/** Codes that were not exchanged. */
export const deleteCodesOf = (accountId: string) =>
  sql`delete from oauth_grant where account_id = ${accountId} and service_account_id is null`

/** Codes that were not exchanged in time. */
export const deleteUnused = (accountId: string, real: Date) => sql`
  delete from oauth_grant where account_id = ${accountId} and service_account_id is null and code_expires_at < ${real}`

export const deleteGrantsOf = (accountId: string) =>
  sql`delete from oauth_grant where account_id = ${accountId}`
