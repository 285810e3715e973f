import { Type } from '#platform/http/type'
import { Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'

const StatusName = named(
  'CommissionStatus',
  Type.Union(
    [
      Type.Literal('EXPECTED'),
      Type.Literal('PENDING'),
      Type.Literal('AVAILABLE'),
      Type.Literal('PAID'),
      Type.Literal('CANCELLED'),
      Type.Literal('CLAWED_BACK'),
      Type.Literal('FRAUD_HOLD'),
    ],
    {
      description:
        'EXPECTED while the escrow is held; PENDING until the hold ends; then AVAILABLE and PAID. FRAUD_HOLD waits for an admin',
    },
  ),
)
const SourceName = Type.Union([Type.Literal('deal'), Type.Literal('buyer'), Type.Literal('seller')], {
  description: 'Why this affiliate: the deal named its agent, or it brought the buyer or the seller',
})
const Level = Type.Integer({
  description: '1: of the affiliate; 2: of the one who brought that affiliate',
  minimum: 1,
  maximum: 2,
})

export const CommissionRecord = named(
  'AffiliateCommission',
  Type.Object({
    id: { ...Id, description: 'Id of the commission (UUIDv7)' },
    affiliateId: { ...Id, description: 'Id of the affiliate profile' },
    escrowId: { ...Id, description: 'Escrow whose fee it is a share of' },
    level: Level,
    source: SourceName,
    rateBps: Type.Integer({
      description: 'Share of the platform fee, in basis points',
      minimum: 0,
      maximum: 10_000,
    }),
    amount: { ...Money, description: 'Amount in `currency`' },
    clawedBack: { ...Money, description: 'What was taken back after a refund, in `currency`' },
    currency: Type.String({
      pattern: '^[A-Z]{3,4}$',
      examples: ['USD'],
      description: 'Currency of the escrow',
    }),
    status: StatusName,
    fraudReason: Nullable(
      Type.String({
        description: 'What suggests that the affiliate referred itself',
        examples: [
          'same owner',
          'claimed agent',
          'same wallet address',
          'same payout account',
          'same card',
          'same organization',
        ],
      }),
    ),
    availableAt: Nullable({ ...Moment, description: 'When it becomes available; null before the release' }),
    paidAt: Nullable({ ...Moment, description: 'When it was paid; null before' }),
    createdAt: Moment,
  }),
)

export const CommissionQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional({ ...StatusName, description: 'Only commissions in this state' }),
})

export const PayoutRecord = named(
  'AffiliatePayout',
  Type.Object({
    payments: Type.Array(
      Type.Object({
        currency: Type.String({
          pattern: '^[A-Z]{3,4}$',
          examples: ['USD'],
          description: 'Currency of the payment',
        }),
        amount: { ...Money, description: 'Sum of the commissions, in `currency`' },
        recovered: {
          ...Money,
          examples: ['0.00'],
          description: 'What of it was retained for what you owe; the wallet was credited with the rest',
        },
        walletId: { ...Id, description: 'Wallet that was credited' },
        commissions: Type.Integer({ description: 'How many commissions it pays', minimum: 1 }),
      }),
      { description: 'One payment for each currency; empty if nothing was available' },
    ),
  }),
)

export const AttributionQuery = Type.Object({ negotiationId: { ...Id, description: 'Id of the deal' } })
export const AttributionRecord = named(
  'AffiliateAttribution',
  Type.Object({
    negotiationId: { ...Id, description: 'Id of the deal' },
    attributions: Type.Array(
      Type.Object({
        code: Type.String({ maxLength: 100, description: 'Code of the affiliate' }),
        displayName: Type.String({ maxLength: 100, description: 'Display name of the affiliate' }),
        source: SourceName,
        level: Level,
        status: StatusName,
        rateBps: Type.Integer({
          minimum: 0,
          maximum: 10_000,
          description: 'Share of the platform fee, in basis points',
        }),
        boundAt: Nullable({
          ...Moment,
          description: "When the referral was bound; null if the deal named the affiliate's agent",
        }),
        clickId: Nullable({ ...Id, description: 'Click that began it; null without one' }),
      }),
      { description: 'Affiliates that earn from the deal' },
    ),
  }),
)

export const commissionSumsIn = (currency: 'USD' | 'USDC') =>
  Type.Object(
    {
      expected: { ...Money, description: 'Of escrows that are held' },
      pending: { ...Money, description: 'Of released escrows, until the hold ends' },
      available: { ...Money, description: 'Can be paid out' },
      paid: { ...Money, description: 'Was paid out' },
    },
    { description: `In ${currency}, without what was clawed back` },
  )
