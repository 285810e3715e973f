import type { RequestContext } from '#platform/http/principal'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { AFFILIATES } from './errors.ts'
import { commissionSums, listCommissions } from './commission/view.ts'
import { Destinations, type Utm } from './clicks/destination.ts'
import * as clicks from './clicks/sql.ts'
import { ownProfile, type AffiliateProfile } from './profile/profile.ts'

const SERIES_DAYS = 29
const LATEST = 20

export const profileView = (publicUrl: string, profile: AffiliateProfile) => ({
  id: profile.id,
  code: profile.code,
  status: profile.status,
  tier: profile.tier,
  rateBps: profile.rateBps,
  level2Bps: profile.level2Bps,
  months: profile.months,
  holdDays: profile.holdDays,
  displayName: profile.displayName,
  website: profile.website,
  channels: profile.channels,
  reviewReason: profile.reviewReason,
  link: linkOf(publicUrl, profile.code),
  createdAt: profile.createdAt.toISOString(),
})

export const adminProfileView = (publicUrl: string, profile: AffiliateProfile) => ({
  ...profileView(publicUrl, profile),
  accountId: profile.accountId,
  customPlan: profile.customPlan,
})

const linkOf = (publicUrl: string, code: string): string =>
  `${publicUrl}/affiliates/r/${encodeURIComponent(code)}`

/** A link with the code of the caller; 409 while the profile is not ACTIVE, 400 for a site that is not allowed. */
export async function makeLink(
  q: Queryable,
  services: Services,
  ctx: RequestContext,
  { dest, label, ...utm }: { dest?: string; label?: string } & Utm,
): Promise<{ url: string; code: string }> {
  const { code, status } = await ownProfile(q, ctx)
  if (status !== 'ACTIVE') throw apiError(AFFILIATES.AFFILIATE_NOT_ACTIVE, { details: { status } })
  if (new Destinations(services).resolve(dest, {}) === null)
    throw apiError(AFFILIATES.DESTINATION_NOT_ALLOWED, {
      hint: 'Use a path, or a URL of this service or its front end',
    })
  const url = new URL(linkOf(services.publicUrl, code))
  const parameters = { dest, ...utm, utm_campaign: utm.utm_campaign ?? label }
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value)
  return { url: url.href, code }
}

export async function dashboard(q: Queryable, ctx: RequestContext, now: Date) {
  const { id } = await ownProfile(q, ctx)
  return {
    ...(await q.one(clicks.totals(id))),
    conversions: (await listCommissions(q, id, { limit: LATEST })).items,
    ...(await commissionSums(q, id)),
    series: await q.rows(clicks.dailySeries(id, after(now, -SERIES_DAYS * DAY), now)),
  }
}
