import { part, sql } from '#platform/sql'
import type { AffiliateProfile } from './profile.ts'
import type { Referral } from './referral.ts'

const PROFILE = part`id, account_id as "accountId", code, status, tier, rate_bps as "rateBps", months,
  display_name as "displayName", created_at as "createdAt"`

/** No row when the code is taken. */
export const insertProfile = (profile: Omit<AffiliateProfile, 'tier'>) => sql<AffiliateProfile>`
  insert into affiliates_profile (id, account_id, code, status, rate_bps, months, display_name, created_at, updated_at)
  values (${profile.id}, ${profile.accountId}, ${profile.code}, ${profile.status}, ${profile.rateBps},
    ${profile.months}, ${profile.displayName},
    ${profile.createdAt}, ${profile.createdAt})
  on conflict (lower(code)) do nothing returning ${PROFILE}`

export const forgetProfile = (accountId: string, now: Date) => sql`
  update affiliates_profile set display_name = '', status = 'SUSPENDED', updated_at = ${now}
    where account_id = ${accountId}`

/** No row for an unknown code, one that does not count, and an account that is bound already. */
export const insertReferral = (input: { accountId: string; code: string; source: Referral['source']; now: Date }) => sql<Referral>`
  with bound as (
    insert into affiliates_referral (account_id, profile_id, source, bound_at, expires_at)
    select ${input.accountId}, id, ${input.source}, ${input.now}, ${input.now}::timestamptz + make_interval(months => months)
    from affiliates_profile
    where lower(code) = lower(${input.code}) and status = 'APPROVED' and account_id <> ${input.accountId}
    on conflict do nothing returning *)
  select p.code, b.source, b.bound_at as "boundAt", b.expires_at as "expiresAt"
  from bound b join affiliates_profile p on p.id = b.profile_id`

export const forgetReferral = (accountId: string) => sql`delete from affiliates_referral where account_id = ${accountId}`
