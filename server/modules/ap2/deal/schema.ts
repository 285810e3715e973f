import { Type } from '#platform/http/type'
import { Moment, named, Nullable, PageQuery } from '#platform/http/schema'

// The fields that several features of deals share.

export const Text = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    ...(description ? { description } : {}),
  })

export const Maybe = Type.Optional
export const Free = (description: string) => Type.Unknown({ description })
export const Sides = named('DealRole', Type.Enum(['buyer', 'seller']))
export const Words = Nullable(Type.String())
export const MaybeMoment = Nullable(Moment)
export const Reason = Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' })
export const IdPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const Paging = Type.Object(PageQuery)
export const DeliveryStatusName = named(
  'DealDeliveryStatus',
  Type.Enum(['NONE', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED']),
)
export const Actions = Type.Array(Type.String(), { description: 'What the caller may do now' })
export const Event = named(
  'DealEvent',
  Type.Object({
    at: Moment,
    subject: Type.String(),
    event: Type.String(),
    from: Words,
    to: Type.String(),
    actor: Type.String(),
    details: Type.Object({}, { additionalProperties: true }),
  }),
)

/** Where money for the buyer goes. */
export const RefundTo = Maybe(
  Type.Enum(['wallet', 'card'], {
    description: 'wallet by default; card sends whole cents back to the card that paid',
  }),
)
