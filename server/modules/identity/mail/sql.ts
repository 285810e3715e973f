import { json, part, sql } from '#platform/kernel/sql'

export const insertLink = (link: {
  hash: Buffer
  purpose: string
  accountId: string | null
  details: Record<string, unknown>
  real: Date
  expiresAt: Date
}) => sql`
  insert into identity_link (hash, purpose, account_id, details, created_at, expires_at)
  values (${link.hash}, ${link.purpose}, ${link.accountId}, ${json(link.details)}::jsonb, ${link.real},
    ${link.expiresAt})`

/** Housekeeping. */
export const sweepLinks = (real: Date) => sql`delete from identity_link where expires_at <= ${real}`

export const endLinks = (accountId: string | null, purpose: string | null, real: Date) => sql`
  update identity_link set used_at = ${real} where account_id is not distinct from ${accountId}::uuid
    and purpose = coalesce(${purpose}::text, purpose) and used_at is null`

export const openLink = (hash: Buffer, purpose: string, real: Date) => sql<{ accountId: string | null }>`
  select account_id from identity_link
  where hash = ${hash} and purpose = ${purpose} and used_at is null and expires_at > ${real}`

export const useLink = (hash: Buffer, purpose: string, real: Date) => sql<{
  accountId: string | null
  details: Record<string, unknown>
}>`
  update identity_link set used_at = ${real} where hash = ${hash} and purpose = ${purpose} and used_at is null
    and expires_at > ${real}
  returning account_id, details`

/** Leaves the link as it is. */
export const linkOf = (hash: Buffer, purpose: string) => sql<{
  accountId: string | null
  details: Record<string, unknown>
  usedAt: Date | null
  expiresAt: Date
}>`
  select account_id, details, used_at, expires_at from identity_link
  where hash = ${hash} and purpose = ${purpose}`

const openChange = (accountId: string, real: Date) => part`account_id = ${accountId} and purpose = 'verify'
  and details @> '{"isChange": true}' and used_at is null and expires_at > ${real}`

/** The link that confirms the new address that an account asked for; no row without a change that waits. */
export const openChangeLink = (accountId: string, real: Date) => sql<{ details: Record<string, unknown> }>`
  select details from identity_link where ${openChange(accountId, real)} order by created_at desc limit 1`

export const endChangeLinks = (accountId: string, real: Date) => sql`
  update identity_link set used_at = ${real} where ${openChange(accountId, real)}`
