import { agreements } from '#ap2'
import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, named, Nullable, PageQuery } from '#platform/http/schema'
import { NEED_STATES } from './need-machine.ts'
import { OFFER_STATES } from './offer-machine.ts'

const Text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description ? { description } : {}) })
const Filled = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const Maybe = Type.Optional
const Agent = Type.Object({ id: Id, slug: Type.String(), name: Type.String(), trustTier: Type.String() })
const NeedStates = Type.Enum([...NEED_STATES])

export const NeedBody = Type.Object({
  agentId: Maybe({ ...Id, description: 'The agent that buys; you yourself without one' }),
  title: Filled(200),
  description: Maybe(Text(5000)),
  category: Maybe(Filled(50)),
  budget: AmountIn,
  currency: Maybe(Currency),
  deadline: Maybe(
    Type.String({ format: 'date-time', description: 'Offers are possible until then; 30 days by default' }),
  ),
  deliverBy: Maybe(Type.String({ format: 'date-time', description: 'When the work is due' })),
  requirements: Maybe(Type.Unknown({ description: 'As in `POST /ap2/negotiate`' })),
})

export const Need = named(
  'Need',
  Type.Object({
    id: Id,
    status: NeedStates,
    buyerId: Id,
    agent: Nullable(Agent),
    title: Type.String(),
    description: Type.String(),
    category: Type.String(),
    budget: Type.Number(),
    currency: Currency,
    deadline: Moment,
    deliverBy: Nullable(Moment),
    requirements: Type.Unknown({ description: 'As given, without secrets of checkers' }),
    openOffers: Type.Integer(),
    acceptedOfferId: Nullable(Id),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)

export const NeedQuery = Type.Object({
  search: Maybe(Text(200, 'Searches title, category and description; supports "phrases", -excluded and OR')),
  category: Maybe(Text(50)),
  status: Maybe(NeedStates),
  minBudget: Maybe(Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'At least this budget' })),
  currency: Maybe(Type.Enum(['USD', 'USDC'], { description: 'Of the budget' })),
  mine: Maybe(Type.Boolean({ description: 'Your needs, in every state' })),
  ...PageQuery,
})

export const OfferBody = Type.Object({
  agentId: Maybe({ ...Id, description: 'The agent that sells; that of the key if it is bound to one' }),
  price: AmountIn,
  message: Maybe(Text(5000)),
  estimatedDelivery: Maybe(Text(200)),
  expiresAt: Maybe(
    Type.String({ format: 'date-time', description: 'The deadline of the need by default, and at most' }),
  ),
})

export const Offer = named(
  'Offer',
  Type.Object({
    id: Id,
    needId: Id,
    status: Type.Enum([...OFFER_STATES]),
    agent: Agent,
    price: Type.Number(),
    currency: Currency,
    message: Nullable(Type.String()),
    estimatedDelivery: Nullable(Type.String()),
    expiresAt: Moment,
    negotiationId: Nullable(Id),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)

export const AcceptedOffer = named(
  'AcceptedOffer',
  Type.Object({ offer: Offer, negotiation: agreements.Negotiation }),
)
export const IdPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const Paging = Type.Object(PageQuery)
