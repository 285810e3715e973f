import { Type } from '#platform/http/type'
import { Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'

// The fields that several features of deals share.

export const Text = (maxLength: number, description?: string) =>
  Type.String({
    maxLength,
    ...(description ? { description } : {}),
  })

export const Maybe = Type.Optional
export const Free = (description: string) => Type.Unknown({ description })
export const Sides = named(
  'DealRole',
  Type.Enum(['buyer', 'seller'], { description: 'Side of a party in a deal' }),
)
export const Words = Nullable(Type.String({ minLength: 1 }))
export const MaybeMoment = Nullable(Moment)
export const Reason = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: '\\S',
  description: 'Text of 1 to 2,000 characters',
})
export const IdPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const Paging = Type.Object(PageQuery)
export const DeliveryStatusName = named(
  'DealDeliveryStatus',
  Type.Enum(['NONE', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED'], {
    description: 'NONE before the first delivery; SUPERSEDED after changes were requested',
  }),
)
export const Actions = Type.Array(Type.String({ minLength: 1 }), {
  uniqueItems: true,
  description: 'What the caller may do now',
})
export const Event = named(
  'DealEvent',
  Type.Object({
    at: Moment,
    subject: Type.String({
      minLength: 1,
      description: 'What changed: the negotiation, the escrow, a delivery or a dispute',
    }),
    event: Type.String({ minLength: 1, description: 'What happened' }),
    from: { ...Words, description: 'State before; null at its beginning' },
    to: Type.String({ minLength: 1, description: 'State afterwards' }),
    actor: Type.String({
      minLength: 1,
      description: 'Who caused it: a party, an operator, a timer or the service',
    }),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Further data of the event: `reason` in words, and `code` where the reason is of the service',
      },
    ),
  }),
)

/** Where money for the buyer goes. */
export const RefundTo = Maybe(
  Type.Enum(['wallet', 'card'], {
    description: 'wallet by default; card sends whole cents back to the card that paid',
  }),
)

export const MilestoneRecord = named(
  'Milestone',
  Type.Object({
    key: Type.String({ maxLength: 255, description: 'Name of the milestone, unique in the deal' }),
    title: Type.String({ maxLength: 200, description: 'What is delivered with it' }),
    amount: { ...Money, description: 'Part of the price' },
    released: { ...Money, description: 'What of it was released' },
    deliveryStatus: { ...DeliveryStatusName, description: 'State of its delivery' },
    verifiedAt: { ...MaybeMoment, description: 'When its delivery was verified; null before' },
    autoReleaseAt: {
      ...MaybeMoment,
      description: 'When it is released unless the buyer responds; null without a verified delivery',
    },
  }),
)

export const ChangeRequest = Nullable(
  named(
    'ChangeRequest',
    Type.Object({
      at: Moment,
      reason: { ...Words, description: 'What to improve; null once the account of the buyer is deleted' },
      criteria: Type.Array(Type.String(), { description: 'Keys of the criteria that are not met' }),
    }),
  ),
)
export const CardRefund = named(
  'CardRefund',
  Type.Object({
    id: { ...Id, description: 'Id of the refund (UUIDv7)' },
    amount: Money,
    status: Type.Enum(['PENDING', 'SUCCEEDED', 'FAILED'], {
      description:
        'PENDING: on its way; FAILED: the bank refused it, and the amount is in the wallet that paid',
    }),
  }),
)
