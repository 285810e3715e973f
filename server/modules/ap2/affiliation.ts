import { Type, type Static } from '#platform/http/type'
import type { RequestContext } from '#platform/http/principal'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import type { Queryable } from '#platform/kernel/db'
import type { Leg } from '#platform/kernel/money'
import { definePort } from '#platform/kernel/ports'
import type { EscrowReleased } from './events.ts'

/** Legs for the journal of a release: who else earns from its fee. */
export const commissionLegs = definePort<EscrowReleased, Leg[]>('ap2.commission-legs', 'collect')

/** The affiliate that referred the account, if any. */
export const ReferralMeta = named(
  'ReferralMeta',
  Type.Object({
    referral: Type.Object(
      {
        code: Type.String({ pattern: '^[A-Za-z0-9_-]{3,30}$', description: 'Code of the affiliate' }),
        source: Type.Union([Type.Literal('registration'), Type.Literal('click')], {
          description: 'How the referral began',
        }),
        clickId: Nullable({ ...Id, description: 'Id of the click that began it; null without one' }),
        boundAt: { ...Moment, description: 'When the referral was bound' },
        expiresAt: { ...Moment, description: 'Until when it earns' },
      },
      { description: 'The affiliate that referred the account' },
    ),
  }),
)
type Meta = Static<typeof ReferralMeta>

/** Who referred an account; null if nobody did, or the referral no longer earns. */
export const referralOf = definePort<string, Meta | null, Queryable>('ap2.referral', 'one')

/** The field of responses that name the referral of their caller. */
export const referralField = {
  svc_meta: Type.Optional({ ...ReferralMeta, description: 'Present if an affiliate referred the account' }),
}

/** A response with the referral of its caller in `svc_meta`, where there is one. */
export async function withReferral<Body extends object>(
  q: Queryable,
  { principal }: RequestContext,
  body: Body,
): Promise<Body & { svc_meta?: Meta }> {
  const meta = await referralOf.call(q, principal.accountId)
  return meta ? { ...body, svc_meta: meta } : body
}
