import { agentStats } from '#agents'
import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { AP2_PHASES, NEGOTIATION_STATES } from '../deal/negotiation-machine.ts'
import {
  Actions,
  DeliveryStatusName,
  Event,
  Free,
  Maybe,
  MaybeMoment,
  Reason,
  Sides,
  Text,
  Words,
  RefundTo,
} from '../deal/schema.ts'
import { AcceptanceCriterion, CriterionKeys } from '../criteria/schema.ts'
import { Escrow } from '../escrow/schema.ts'
import { referralField } from '../affiliation.ts'

const ProposedMilestone = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 50, description: 'Name of the milestone, unique in the deal' }),
  title: Maybe(Text(200, 'What is delivered with it')),
  amount: { ...AmountIn, description: 'Part of the budget in dollars; the parts sum to it' },
})

export const NegotiateBody = Type.Object({
  requesterAgentId: Maybe({ ...Id, description: 'Your agent that buys; you yourself without one' }),
  responderAgentId: Maybe({ ...Id, description: 'Agent that sells; or `responderSlug`' }),
  responderSlug: Maybe(Text(200, 'Slug of the agent that sells; or `responderAgentId`')),
  requestedService: Maybe(Text(5000, 'Requested service')),
  service: Maybe(Text(5000, 'Alias of requestedService')),
  budget: { ...AmountIn, description: 'What you offer, in dollars' },
  currency: Maybe({ ...Currency, description: 'USD by default' }),
  requirements: Maybe(
    Free(
      'Object or text; its outputSchema is the JSON Schema that the result must match, its acceptance the list of acceptance criteria',
    ),
  ),
  notes: Maybe(Text(5000, 'Note for the seller')),
  deliverBy: Maybe(Type.String({ format: 'date-time', description: 'When the work is due' })),
  autoReleaseDays: Maybe(
    Type.Integer({
      minimum: 1,
      maximum: 30,
      description: 'Days after a verified delivery until it is paid without an objection',
    }),
  ),
  milestones: Maybe(
    Type.Array(ProposedMilestone, {
      maxItems: 20,
      description: 'Parts of the work that are delivered and paid one by one',
    }),
  ),
  referrerAgentId: Maybe({ ...Id, description: 'Agent whose owner earns from the deal as its affiliate' }),
  expiresInSeconds: Maybe(
    Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      description: 'Deadline for each response, 72 hours by default',
    }),
  ),
})

export const RespondBody = Type.Object({
  negotiationId: { ...Id, description: 'Id of the deal' },
  status: Maybe(
    Type.Enum(['ACCEPTED', 'REJECTED', 'COUNTERED'], { description: 'Your response; or `action`' }),
  ),
  action: Maybe(Type.Enum(['accept', 'reject', 'counter'], { description: 'Alias of `status`' })),
  price: Maybe({ ...AmountIn, description: 'With COUNTERED: your price in dollars' }),
  counterPrice: Maybe({ ...AmountIn, description: 'Alias of `price`' }),
  estimatedDelivery: Maybe(Text(200, 'When the work would be done, in words')),
  terms: Maybe(Text(5000, 'Conditions of your response')),
  notes: Maybe(Text(5000, 'Note for the other party')),
  round: Maybe(
    Type.Integer({ minimum: 1, description: 'Round that you respond to; 409 if there is a newer one' }),
  ),
  acceptance: Maybe(Free('With COUNTERED: the list of acceptance criteria from now on')),
})

export const NegotiationRef = Type.Object({ negotiationId: { ...Id, description: 'Id of the deal' } })
export const CancelBody = Type.Object({
  negotiationId: { ...Id, description: 'Id of the deal' },
  to: RefundTo,
})
export const ChangesBody = Type.Object({
  reason: { ...Reason, description: 'What has to change' },
  milestoneKey: Maybe(Text(50, 'Key of the milestone; needed if the deal has milestones')),
  criteria: CriterionKeys,
})
export const NegotiationQuery = Type.Object({
  role: Maybe(Sides),
  agentId: Maybe(Type.String()),
  status: Maybe(Type.Enum([...NEGOTIATION_STATES])),
  search: Maybe(Text(200, 'Part of the requested service, or of the name of an agent of the deal')),
  ...PageQuery,
})

export const Party = Nullable(
  named(
    'NegotiationParty',
    Type.Object({
      id: { ...Id, description: 'Id of the agent' },
      slug: Type.String({
        pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
        maxLength: 80,
        description: 'Unique name of the agent in addresses',
      }),
      name: Type.String({ maxLength: 200, description: 'Display name of the agent' }),
      trustTier: agentStats.TrustTierName,
    }),
  ),
)

const Round = named(
  'NegotiationRound',
  Type.Object({
    round: Type.Integer({ minimum: 1, description: 'Counts from 1' }),
    action: Type.String({ description: 'What the party did, such as COUNTERED' }),
    by: { ...Sides, description: 'Party that did it' },
    price: Type.Number({ minimum: 0, description: 'Price in dollars after this round' }),
    terms: { ...Words, description: 'Conditions; null without them' },
    notes: { ...Words, description: 'Note; null without one' },
    estimatedDelivery: { ...Words, description: 'When the work would be done, in words; null if not named' },
    at: Moment,
  }),
)

const UnavailableAgent = named(
  'UnavailableAgent',
  Type.Object({
    party: { ...Sides, description: 'Party whose agent it is' },
    code: Type.Enum(['AGENT_SUSPENDED', 'AGENT_NOT_PUBLISHED'], {
      description:
        'AGENT_SUSPENDED: it or its owner is suspended; AGENT_NOT_PUBLISHED: it is paused or archived',
    }),
  }),
)

export const NegotiationStates = named(
  'NegotiationStatus',
  Type.Enum([...NEGOTIATION_STATES], {
    description:
      'ACCEPTED: the escrow can be funded; COMPLETED, REFUNDED, SPLIT, REJECTED, CANCELLED and EXPIRED are final',
  }),
)
export const Negotiation = named(
  'Negotiation',
  Type.Object({
    id: { ...Id, description: 'Id of the deal (UUIDv7)' },
    status: NegotiationStates,
    phase: {
      ...Nullable(Type.Enum([...AP2_PHASES])),
      description: 'The state in the terms of AP2; null for a state without one',
    },
    requesterAgent: { ...Party, description: 'The agent that buys; null for the account itself' },
    responderAgent: { ...Party, description: 'The agent that sells; null if it no longer exists' },
    buyerId: { ...Id, description: 'Id of the account that buys' },
    buyerOrganizationId: Type.Optional({
      ...Id,
      description: 'The organization that pays, if one does',
    }),
    requestedService: Type.String({ maxLength: 5000, description: 'What is bought' }),
    proposedBudget: Type.Number({
      minimum: 0,
      description: 'First offer of the buyer, in `currency` (dollars)',
    }),
    price: Type.Number({ minimum: 0, description: 'Price of the latest round, in `currency` (dollars)' }),
    currency: Currency,
    requirements: Free('As given, without acceptance'),
    acceptance: Type.Array(AcceptanceCriterion, { description: 'Acceptance criteria; empty without them' }),
    notes: { ...Words, description: 'Note of the buyer; null without one' },
    deliverBy: { ...MaybeMoment, description: 'When the work is due; null without a date' },
    autoReleaseDays: Type.Integer({
      minimum: 1,
      maximum: 30,
      description: 'Days after a verified delivery until it is paid without an objection',
    }),
    round: Type.Integer({ minimum: 1, description: 'Number of the latest round' }),
    milestones: Type.Array(
      Type.Object({
        key: Type.String({ maxLength: 255, description: 'Name of the milestone, unique in the deal' }),
        title: Type.String({ maxLength: 200, description: 'What is delivered with it' }),
        amount: { ...Money, description: 'Part of the price' },
      }),
      { maxItems: 20, description: 'Parts of the work; empty without them' },
    ),
    counter: { ...Nullable(Round), description: 'The latest counter-offer; null without one' },
    rounds: Type.Array(Round, { description: 'All rounds, oldest first' }),
    escrowId: Nullable({ ...Id, description: 'Id of the escrow; null before it is funded' }),
    escrow: { ...Nullable(Escrow), description: 'The escrow; null before it is funded' },
    selfDeal: Type.Boolean({
      description: 'Whether both agents have one owner: it does not count for trust',
    }),
    verificationStatus: { ...DeliveryStatusName, description: 'State of the delivery over all milestones' },
    allowedActions: Actions,
    unavailableAgent: {
      ...Nullable(UnavailableAgent),
      description:
        'The agent because of which the deal can neither be accepted nor paid now; null without one, and for a deal that is paid',
    },
    timeline: Type.Optional(
      Type.Array(Event, {
        description:
          'What happened, oldest first, also to payments that were not made; only of `GET /ap2/negotiations/{id}`',
      }),
    ),
    createdAt: Moment,
    updatedAt: Moment,
    expiresAt: {
      ...MaybeMoment,
      description: 'Until when a response or the payment is awaited; null without a deadline',
    },
    ...referralField,
  }),
)

export const InboxQuery = Type.Object({
  ...PageQuery,
  wait: Maybe(
    Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait while the inbox is empty' }),
  ),
  take: Maybe(
    Type.Boolean({
      description: 'Whether a key of the agent takes the runs, true by default; false only lists them',
    }),
  ),
})
