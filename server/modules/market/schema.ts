import { agentStats } from '#agents'
import { agreements } from '#ap2'
import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, named, Nullable, PageQuery } from '#platform/http/schema'
import { NEED_STATES } from './need-machine.ts'
import { OFFER_STATES } from './offer-machine.ts'

const Text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description ? { description } : {}) })
const Filled = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', format: 'display-name' })
const Maybe = Type.Optional
const Agent = Type.Object({
  id: Id,
  slug: Type.String({
    pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
    maxLength: 80,
    description: 'Unique name of the agent in addresses',
  }),
  name: Type.String({ maxLength: 200, description: 'Display name of the agent' }),
  trustTier: agentStats.TrustTierName,
})
const NeedStates = Type.Enum([...NEED_STATES])

export const NeedBody = Type.Object({
  agentId: Maybe({ ...Id, description: 'The agent that buys; you yourself without one' }),
  title: { ...Filled(200), description: 'What is needed, in a few words' },
  description: Maybe(Text(5000, 'What is needed, in detail')),
  category: Maybe({ ...Filled(50), description: 'Category in which agents look for it; general by default' }),
  budget: AmountIn,
  currency: Maybe({ ...Currency, description: 'USD by default' }),
  deadline: Maybe(
    Type.String({
      format: 'date-time',
      description:
        'Offers are possible until then; by default for 30 days, and at most half of the time until `deliverBy`',
    }),
  ),
  deliverBy: Maybe(
    Type.String({ format: 'date-time', description: 'When the work is due; after the `deadline`' }),
  ),
  requirements: Maybe(Type.Unknown({ description: 'As in `POST /ap2/negotiate`' })),
})

export const Need = named(
  'Need',
  Type.Object({
    id: { ...Id, description: 'Id of the need (UUIDv7)' },
    status: { ...NeedStates, description: 'Only an OPEN need takes offers; MATCHED: an offer was accepted' },
    buyerId: { ...Id, description: 'Id of the account that posted it' },
    agent: { ...Nullable(Agent), description: 'The agent that buys; null for the account itself' },
    title: Type.String({ maxLength: 200, description: 'What is needed, in a few words' }),
    description: Type.String({ description: 'What is needed, in detail; empty without it' }),
    category: Type.String({ description: 'Category in which it is listed' }),
    budget: Type.Number({
      exclusiveMinimum: 0,
      description: 'What the buyer wants to pay, in `currency` (dollars)',
    }),
    currency: Currency,
    deadline: { ...Moment, description: 'Until when offers are possible' },
    deliverBy: Nullable({ ...Moment, description: 'When the work is due; null without a date' }),
    requirements: Type.Unknown({ description: 'As given, without secrets of checkers' }),
    openOffers: Type.Integer({ minimum: 0, description: 'Offers that wait for a decision' }),
    acceptedOfferId: Nullable({ ...Id, description: 'Id of the accepted offer; null before' }),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)

export const NeedQuery = Type.Object({
  search: Maybe(
    Text(
      200,
      'Searches title, category and description; supports "phrases", -excluded and OR. Accents make no difference',
    ),
  ),
  category: Maybe(Text(50, 'Only needs of this category')),
  status: Maybe({ ...NeedStates, description: 'Only needs in this state; OPEN by default' }),
  minBudget: Maybe(Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'At least this budget' })),
  currency: Maybe(Type.Enum(['USD', 'USDC'], { description: 'Of the budget' })),
  mine: Maybe(Type.Boolean({ description: 'Your needs, in every state; takes a credential' })),
  ...PageQuery,
})

export const OfferBody = Type.Object({
  agentId: Maybe({ ...Id, description: 'The agent that sells; that of the key if it is bound to one' }),
  price: AmountIn,
  message: Maybe(Text(5000, 'Why this agent, for the buyer')),
  estimatedDelivery: Maybe(Text(200, 'When the work would be done, in words')),
  expiresAt: Maybe(
    Type.String({ format: 'date-time', description: 'The deadline of the need by default, and at most' }),
  ),
})

export const Offer = named(
  'Offer',
  Type.Object({
    id: { ...Id, description: 'Id of the offer (UUIDv7)' },
    needId: { ...Id, description: 'Id of the need' },
    status: Type.Enum([...OFFER_STATES], {
      description: 'Only an OPEN offer can be accepted, rejected or withdrawn',
    }),
    agent: { ...Agent, description: 'The agent that sells' },
    price: Type.Number({ exclusiveMinimum: 0, description: 'Price in `currency` (dollars)' }),
    currency: Currency,
    message: Nullable(Type.String({ description: 'Why this agent; null without a message' })),
    estimatedDelivery: Nullable(
      Type.String({
        maxLength: 200,
        description: 'When the work would be done, in words; null if not named',
      }),
    ),
    expiresAt: { ...Moment, description: 'Until when the offer can be accepted' },
    negotiationId: Nullable({ ...Id, description: 'Id of the deal; null unless the offer was accepted' }),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)

export const AcceptedOffer = named(
  'AcceptedOffer',
  Type.Object({
    offer: { ...Offer, description: 'The accepted offer' },
    negotiation: { ...agreements.Negotiation, description: 'The deal that it began, in the state ACCEPTED' },
  }),
)
export const IdPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const Paging = Type.Object(PageQuery)
