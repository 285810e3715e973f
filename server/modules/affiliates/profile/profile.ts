import { randomInt } from 'node:crypto'
import { accountById } from '#identity'
import { requireUnboundCredential, type RequestContext } from '#platform/http/principal'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { AFFILIATES } from '../errors.ts'
import { endCommissionsOf } from '../commission/payout.ts'
import { nextMonth, type Tier } from '../commission/plan.ts'
import * as statements from '../sql.ts'
import { profileMachine, type ProfileStatus } from './profile-machine.ts'

export interface AffiliateProfile {
  id: string
  accountId: string
  code: string
  status: ProfileStatus
  tier: Tier
  /** Share of the platform's fee, in hundredths of a percent. */
  rateBps: number
  /** How long a referral earns after its sign-up. */
  months: number
  /** Share of the fee on what the referrals of a referral sell; null for that of the tier. */
  level2Bps: number | null
  /** Days from a release until its commission is available. */
  holdDays: number
  /** A rate was set by an admin: both stay when the tier changes. */
  customPlan: boolean
  displayName: string
  website: string | null
  channels: string[]
  reviewReason: string | null
  createdAt: Date
}

export interface Application {
  code?: string
  displayName: string
  website?: string
  channels?: string[]
}

const STANDARD = { rateBps: 2000, months: 24 }
// Without what is read as another: 0 O 1 I L.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const CODE_LENGTH = 8
/** Words of the service itself: a link with such a code would look like one of ours. */
const RESERVED = ['admin', 'api', 'system', 'support', 'help', 'svc', 'official', 'home', 'null', 'undefined']

/** The active profile of an agent that registered itself: 20 % of the platform's fee for 24 months. */
export const createAffiliateProfile = (
  tx: Tx,
  input: { accountId: string; displayName: string },
): Promise<AffiliateProfile> => insertWithRandomCode(tx, { ...input, status: 'ACTIVE' })

async function insertWithRandomCode(
  tx: Tx,
  input: Pick<AffiliateProfile, 'accountId' | 'displayName' | 'status'> & Partial<Application>,
): Promise<AffiliateProfile> {
  for (;;) {
    const profile = await insert(tx, { ...input, code: randomCode() })
    if (profile) return profile
  }
}

const insert = (
  tx: Tx,
  input: Pick<AffiliateProfile, 'accountId' | 'displayName' | 'status' | 'code'> & Partial<Application>,
): Promise<AffiliateProfile | undefined> =>
  tx.maybe(
    statements.insertProfile({
      id: newId(),
      website: null,
      channels: [],
      ...input,
      ...STANDARD,
      createdAt: tx.now,
      monthEndsAt: nextMonth(tx.now),
    }),
  )

/**
 * Applies to the programme: PENDING until an admin decides. A rejected applicant may apply again; another second
 * application is 409. A code that is taken or reserved is 400.
 */
export async function apply(
  tx: Tx,
  ctx: RequestContext,
  { code, ...input }: Application,
): Promise<AffiliateProfile> {
  requireUnboundCredential(ctx)
  const { accountId } = ctx.principal
  const wanted = code?.trim()
  if (wanted !== undefined && RESERVED.includes(wanted.toLowerCase()))
    throw apiError(AFFILIATES.REFERRAL_CODE_RESERVED, { hint: 'Choose another code' })
  const existing = await tx.maybe(statements.lockProfileOf(accountId))
  if (existing?.status === 'REJECTED') return applyAgain(tx, existing, { ...input, code: wanted })
  if (existing) throw apiError({ ...COMMON.CONFLICT, message: 'Already an affiliate' })
  const application = { ...input, accountId, status: 'PENDING' } as const
  if (wanted === undefined) return insertWithRandomCode(tx, application)
  const profile = await insert(tx, { ...application, code: wanted })
  if (!profile) throw codeTaken()
  return profile
}

async function applyAgain(
  tx: Tx,
  profile: AffiliateProfile,
  { code, displayName, website, channels }: Application,
): Promise<AffiliateProfile> {
  if (code !== undefined && (await tx.maybe(statements.profileOfCode(code)))?.id === undefined)
    await tx.run(statements.setCode(profile.id, code))
  else if (code !== undefined && code.toLowerCase() !== profile.code.toLowerCase()) throw codeTaken()
  await transition(tx, profileMachine, profile, {
    event: 'apply',
    by: 'applicant',
    actorId: profile.accountId,
    set: { displayName, website: website ?? null, channels: channels ?? [], reviewReason: null },
  })
  return tx.one(statements.profileById(profile.id))
}

const codeTaken = () => apiError(AFFILIATES.REFERRAL_CODE_TAKEN, { hint: 'Choose another code' })

/** The profile of the caller; an AGENT account without one gets it, for a HUMAN account, which applies instead, it is 403. */
export async function enroll(tx: Tx, ctx: RequestContext): Promise<AffiliateProfile> {
  requireUnboundCredential(ctx)
  const { accountId } = ctx.principal
  const existing = await tx.maybe(statements.lockProfileOf(accountId))
  if (existing) return existing
  const account = await accountById(tx, accountId)
  if (account?.userType !== 'AGENT')
    throw apiError(COMMON.FORBIDDEN, {
      hint: 'Only for AGENT accounts: people apply with POST /affiliates/apply',
    })
  return createAffiliateProfile(tx, { accountId, displayName: account.displayName })
}

/** The profile of the caller. ApiErrors: 404 without one, 403 for a bound key: the profile is the account's. */
export async function ownProfile(q: Queryable, ctx: RequestContext): Promise<AffiliateProfile> {
  const profile = await maybeOwnProfile(q, ctx)
  if (!profile) throw apiError(AFFILIATES.AFFILIATE_NOT_FOUND, { hint: 'Apply with POST /affiliates/apply' })
  return profile
}

/** The same, undefined where there is none. */
export function maybeOwnProfile(q: Queryable, ctx: RequestContext): Promise<AffiliateProfile | undefined> {
  requireUnboundCredential(ctx)
  return q.maybe(statements.profileOf(ctx.principal.accountId))
}

/** The code and name of an ACTIVE affiliate, or ApiError 404. */
export async function resolveCode(q: Queryable, code: string): Promise<AffiliateProfile> {
  const profile = await q.maybe(statements.profileOfCode(code.trim()))
  if (profile?.status !== 'ACTIVE') throw apiError(AFFILIATES.AFFILIATE_NOT_FOUND)
  return profile
}

/**
 * Pays what is available, gives up the other commissions, pseudonymizes and suspends the affiliate profile of an account that is
 * being deleted, and erases which affiliate brought it.
 */
export async function eraseAffiliate(tx: Tx, accountId: string): Promise<void> {
  const profile = await tx.maybe(statements.lockProfileOf(accountId))
  if (profile) await endCommissionsOf(tx, profile)
  await tx.run(statements.eraseProfile(accountId, tx.now))
  await tx.run(statements.eraseReasonsOf(accountId))
  await tx.run(statements.deleteReferral(accountId))
}

const randomCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
