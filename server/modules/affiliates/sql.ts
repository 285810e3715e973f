import { part, sql } from '#platform/sql'
import type { AffiliateProfile } from './profile.ts'

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
