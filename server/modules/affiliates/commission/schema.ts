import { Type } from '#platform/http/type'
import { Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'

const StatusName = named(
  'CommissionStatus',
  Type.Union([
    Type.Literal('EXPECTED'),
    Type.Literal('PENDING'),
    Type.Literal('AVAILABLE'),
    Type.Literal('PAID'),
    Type.Literal('CANCELLED'),
    Type.Literal('CLAWED_BACK'),
    Type.Literal('FRAUD_HOLD'),
  ]),
)
const SourceName = Type.Union([Type.Literal('deal'), Type.Literal('buyer'), Type.Literal('seller')], {
  description: 'Why this affiliate: the deal named its agent, or it brought the buyer or the seller',
})
const Level = Type.Integer({
  description: '1: of the affiliate; 2: of the one who brought that affiliate',
})

export const CommissionRecord = named(
  'AffiliateCommission',
  Type.Object({
    id: Id,
    affiliateId: Id,
    escrowId: Id,
    level: Level,
    source: SourceName,
    rateBps: Type.Integer({ description: 'Share of the platform fee, in basis points' }),
    amount: Money,
    clawedBack: Money,
    currency: Type.String({ examples: ['USD'] }),
    status: StatusName,
    fraudReason: Nullable(
      Type.String({
        description: 'What suggests that the affiliate referred itself',
        examples: ['same owner'],
      }),
    ),
    availableAt: Nullable(Moment),
    paidAt: Nullable(Moment),
    createdAt: Moment,
  }),
)

export const CommissionQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(StatusName),
})

export const PayoutRecord = named(
  'AffiliatePayout',
  Type.Object({
    payments: Type.Array(
      Type.Object({
        currency: Type.String({ examples: ['USD'] }),
        amount: Money,
        walletId: Id,
        commissions: Type.Integer({ description: 'How many commissions it pays' }),
      }),
    ),
  }),
)

export const AttributionQuery = Type.Object({ negotiationId: Id })
export const AttributionRecord = named(
  'AffiliateAttribution',
  Type.Object({
    negotiationId: Id,
    attributions: Type.Array(
      Type.Object({
        code: Type.String(),
        displayName: Type.String(),
        source: SourceName,
        level: Level,
        status: StatusName,
        rateBps: Type.Integer(),
        boundAt: Nullable(Moment),
        clickId: Nullable(Id),
      }),
    ),
  }),
)

export const CommissionSums = Type.Object(
  { expected: Money, pending: Money, available: Money, paid: Money },
  { description: 'In USD, without what was clawed back' },
)
