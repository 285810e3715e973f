import type { Page } from '#platform/http/schema'
import { part, sql } from '#platform/kernel/sql'
import type { AffiliateProfile } from './profile/profile.ts'
import type { ProfileStatus } from './profile/profile-machine.ts'
import type { Referral } from './referral.ts'

const PROFILE = part`id, account_id, code, status, tier, rate_bps, months, level2_bps, hold_days, custom_plan,
  display_name, website, channels, review_reason, created_at`

/** No row when the code is taken. */
export const insertProfile = (
  profile: Pick<
    AffiliateProfile,
    'id' | 'accountId' | 'code' | 'status' | 'rateBps' | 'months' | 'displayName' | 'createdAt'
  > & { website: string | null; channels: readonly string[]; monthEndsAt: Date },
) => sql<AffiliateProfile>`
  insert into affiliates_profile (id, account_id, code, status, rate_bps, months, display_name, website, channels, month_ends_at,
    created_at, updated_at)
  values (${profile.id}, ${profile.accountId}, ${profile.code}, ${profile.status}, ${profile.rateBps}, ${profile.months},
    ${profile.displayName}, ${profile.website}, ${profile.channels}, ${profile.monthEndsAt}, ${profile.createdAt}, ${profile.createdAt})
  on conflict (lower(code)) do nothing returning ${PROFILE}`

export const profileById = (id: string) =>
  sql<AffiliateProfile>`select ${PROFILE} from affiliates_profile where id = ${id}`
export const lockProfile = (id: string) =>
  sql<AffiliateProfile>`select ${PROFILE} from affiliates_profile where id = ${id} for update`
/** No row if another process has ended its month while this one waited for the lock. */
export const lockProfileOfMonth = (id: string, now: Date) => sql<AffiliateProfile>`
  select ${PROFILE} from affiliates_profile where id = ${id} and month_ends_at <= ${now} for update`
export const profileOf = (accountId: string) =>
  sql<AffiliateProfile>`select ${PROFILE} from affiliates_profile where account_id = ${accountId}`
export const lockProfileOf = (accountId: string) =>
  sql<AffiliateProfile>`select ${PROFILE} from affiliates_profile where account_id = ${accountId} for update`
export const profileOfCode = (code: string) =>
  sql<AffiliateProfile>`select ${PROFILE} from affiliates_profile where lower(code) = lower(${code})`

export const profilesWith = (status: ProfileStatus | null, { limit, offset }: Page) => sql<AffiliateProfile>`
  select ${PROFILE} from affiliates_profile where ${status}::text is null or status = ${status}
  order by id desc limit ${limit} offset ${offset}`
export const countProfilesWith = (status: ProfileStatus | null, cap: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (
    select from affiliates_profile where ${status}::text is null or status = ${status} limit ${cap}) capped`

export const setCode = (id: string, code: string) =>
  sql`update affiliates_profile set code = ${code} where id = ${id}`

export const setPlan = (
  id: string,
  plan: Pick<AffiliateProfile, 'rateBps' | 'months' | 'level2Bps' | 'holdDays' | 'customPlan'> & {
    now: Date
  },
) => sql`
  update affiliates_profile set rate_bps = ${plan.rateBps}, months = ${plan.months}, level2_bps = ${plan.level2Bps},
    hold_days = ${plan.holdDays}, custom_plan = ${plan.customPlan}, updated_at = ${plan.now}
  where id = ${id}`

export const setMonth = (
  id: string,
  month: { tier: string; rateBps: number; level2Bps: number | null; endsAt: Date; now: Date },
) => sql`
  update affiliates_profile set tier = ${month.tier}, rate_bps = ${month.rateBps}, level2_bps = ${month.level2Bps},
    month_ends_at = ${month.endsAt}, updated_at = ${month.now}
  where id = ${id}`

/** The code too: its person may have chosen their name. */
export const eraseProfile = (accountId: string, now: Date) => sql`
  update affiliates_profile set code = replace(id::text, '-', ''), display_name = '', website = null, channels = '{}', review_reason = null, status = 'SUSPENDED',
    month_ends_at = null, updated_at = ${now}
  where account_id = ${accountId}`

/** What the account wrote about others as an admin. */
export const eraseReasonsOf = (accountId: string) => sql`
  update affiliates_profile set review_reason = null, reviewed_by = null where reviewed_by = ${accountId}`

/** No row for an unknown code, one that does not count, and an account that is bound already. */
export const insertReferral = (input: { accountId: string; code: string; now: Date }) => sql<Referral>`
  with bound as (
    insert into affiliates_referral (account_id, profile_id, source, bound_at, expires_at)
    select ${input.accountId}, id, 'registration', ${input.now}, ${input.now}::timestamptz + make_interval(months => months)
    from affiliates_profile
    where lower(code) = lower(${input.code}) and status = 'ACTIVE' and account_id <> ${input.accountId}
    on conflict do nothing returning *)
  select p.code, b.source, b.click_id, b.bound_at, b.expires_at
  from bound b join affiliates_profile p on p.id = b.profile_id`

/** The same by a click that is not older than its cookie. */
export const insertReferralOfClick = (input: {
  accountId: string
  clickId: string
  since: Date
  now: Date
}) => sql<Referral>`
  with bound as (
    insert into affiliates_referral (account_id, profile_id, source, click_id, bound_at, expires_at)
    select ${input.accountId}, p.id, 'click', c.id, ${input.now}, ${input.now}::timestamptz + make_interval(months => p.months)
    from affiliates_click c join affiliates_profile p on p.id = c.profile_id
    where c.id = ${input.clickId} and c.at > ${input.since} and p.status = 'ACTIVE' and p.account_id <> ${input.accountId}
    on conflict do nothing returning *)
  select p.code, b.source, b.click_id, b.bound_at, b.expires_at
  from bound b join affiliates_profile p on p.id = b.profile_id`

/** Who brought an account, with what the affiliate shows publicly. */
export const referralOf = (accountId: string) => sql<
  Referral & { displayName: string; status: ProfileStatus }
>`
  select p.code, p.display_name, p.status, r.source, r.click_id, r.bound_at, r.expires_at
  from affiliates_referral r join affiliates_profile p on p.id = r.profile_id where r.account_id = ${accountId}`

export const deleteReferral = (accountId: string) =>
  sql`delete from affiliates_referral where account_id = ${accountId}`

export const countApplications = () => sql<{ count: number }>`
  select count(*)::int as count from affiliates_profile where status = 'PENDING'`
