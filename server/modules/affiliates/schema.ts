import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { CommissionRecord, commissionSumsIn } from './commission/schema.ts'

const CODE_PATTERN = '^\\s*[A-Za-z0-9](?:[A-Za-z0-9_-]{1,28})[A-Za-z0-9]\\s*$'
const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })
const Bps = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description })

export const StatusName = named(
  'AffiliateStatus',
  Type.Union(
    [Type.Literal('PENDING'), Type.Literal('ACTIVE'), Type.Literal('REJECTED'), Type.Literal('SUSPENDED')],
    { description: 'Only an ACTIVE affiliate earns' },
  ),
)

export const ApplyBody = Type.Object({
  code: Type.Optional(
    Type.String({
      pattern: CODE_PATTERN,
      maxLength: 40,
      description: 'The code of your links: 3 to 30 letters, digits, hyphens, underscores; random by default',
    }),
  ),
  displayName: Text(100, 'Shown to those who follow your links'),
  website: Type.Optional(
    Type.String({ format: 'uri', pattern: '^https?://', maxLength: 500, description: 'http or https' }),
  ),
  channels: Type.Optional(
    Type.Array(Text(100, 'For example newsletter'), { maxItems: 20, description: 'Where you refer people' }),
  ),
  acceptTerms: Type.Literal(true, { description: 'You accept the terms of the programme' }),
})

const profileFields = {
  id: { ...Id, description: 'Id of the profile (UUIDv7)' },
  code: Type.String({ maxLength: 100, examples: ['scribe-7k2'], description: 'Code of the links' }),
  status: StatusName,
  tier: {
    ...named(
      'AffiliateTier',
      Type.Union([
        Type.Literal('SCOUT'),
        Type.Literal('BUILDER'),
        Type.Literal('CAPTAIN'),
        Type.Literal('ARCHITECT'),
      ]),
    ),
    description: 'Grows with the number of active referrals and decides the rates',
  },
  rateBps: Type.Integer({
    description: 'Share of the platform fee, in basis points',
    minimum: 0,
    maximum: 10_000,
  }),
  level2Bps: Nullable(
    Type.Integer({
      description: 'The same on what referrals of referrals sell; null for that of the tier',
      minimum: 0,
      maximum: 10_000,
    }),
  ),
  months: Type.Integer({ description: 'For how many months a referral earns', minimum: 1 }),
  holdDays: Type.Integer({
    description: 'Days from a release until its commission is available',
    minimum: 0,
  }),
  displayName: Type.String({ maxLength: 100, description: 'Shown to those who follow the links' }),
  website: Nullable(
    Type.String({ format: 'uri', description: "Address of the affiliate's site; null without one" }),
  ),
  channels: Type.Array(Type.String(), { maxItems: 20, description: 'Where the affiliate refers people' }),
  reviewReason: Nullable(Type.String({ description: 'What the reviewer wrote; null without a text' })),
  link: Type.String({ format: 'uri', description: 'Link to the home page with your code' }),
  createdAt: Moment,
}
export const ProfileRecord = named('Affiliate', Type.Object(profileFields))
export const MembershipRecord = named(
  'AffiliateMembership',
  Type.Object({
    affiliate: { ...Nullable(ProfileRecord), description: 'Your profile, in any state; null without one' },
  }),
)
export const AdminProfileRecord = named(
  'AffiliateForAdmin',
  Type.Object({
    ...profileFields,
    accountId: { ...Id, description: 'Id of the account' },
    customPlan: Type.Boolean({ description: 'Whether an admin set the rates' }),
  }),
)

export const LinkBody = Type.Object({
  dest: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Path or URL of an allowed site; the home page by default' }),
  ),
  label: Type.Optional(
    Type.String({ maxLength: 100, description: 'Becomes utm_campaign if that is absent' }),
  ),
  utm_source: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the link' })),
  utm_medium: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the link' })),
  utm_campaign: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the link' })),
})
export const LinkRecord = named(
  'AffiliateLink',
  Type.Object({
    url: Type.String({ format: 'uri', description: 'The link' }),
    code: Type.String({ maxLength: 100, description: 'Code in the link' }),
  }),
)

export const ReviewBody = Type.Object({
  decision: Type.Union([Type.Literal('approve'), Type.Literal('reject')], {
    description: 'What becomes of the application',
  }),
  reason: Type.Optional(Text(1000, 'Shown to the applicant')),
})
export const SuspendBody = Type.Object({ reason: Type.Optional(Text(1000, 'Shown to the affiliate')) })
export const PlanBody = Type.Object({
  rateBps: Type.Optional(Bps(3500, 'Share of the platform fee, in basis points; at most 35 %')),
  level2Bps: Type.Optional(
    Nullable(Bps(3500, 'The same on what referrals of referrals sell; null for that of the tier')),
  ),
  months: Type.Optional(Type.Integer({ minimum: 1, maximum: 120, description: 'For referrals from now on' })),
  holdDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description: 'Days from a release until its commission is available',
    }),
  ),
  customPlan: Type.Optional(
    Type.Literal(false, {
      description: 'Restores the rates of the tier, which a rate of this operation ends; excludes a rate',
    }),
  ),
})

export const DashboardRecord = named(
  'AffiliateDashboard',
  Type.Object({
    clicks: Type.Integer({ description: 'Of people, without repeats within a day', minimum: 0 }),
    bots: Type.Integer({ minimum: 0, description: 'Clicks of programs' }),
    repeats: Type.Integer({ minimum: 0, description: 'Repeated clicks within a day' }),
    signups: Type.Integer({ minimum: 0, description: 'Accounts that were registered after a click' }),
    conversions: Type.Array(CommissionRecord, { description: 'The latest 20 commissions, the newest first' }),
    commissions: commissionSumsIn('USD'),
    commissionsUsdc: commissionSumsIn('USDC'),
    series: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'Day in UTC' }),
        clicks: Type.Integer({ minimum: 0, description: 'Clicks of the day' }),
        signups: Type.Integer({ minimum: 0, description: 'Registrations of the day' }),
      }),
      { description: 'The last 30 days, the oldest first' },
    ),
  }),
)
