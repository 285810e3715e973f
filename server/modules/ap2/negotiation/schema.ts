import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { AP2_PHASES, NEGOTIATION_STATES } from '../deal/negotiation-machine.ts'
import {
  Actions,
  DeliveryStatusName,
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
  key: Type.String({ minLength: 1, maxLength: 50 }),
  title: Maybe(Text(200)),
  amount: AmountIn,
})

export const NegotiateBody = Type.Object({
  requesterAgentId: Maybe(Id),
  responderAgentId: Maybe(Id),
  responderSlug: Maybe(Text(200)),
  requestedService: Maybe(Text(5000, 'Requested service')),
  service: Maybe(Text(5000, 'Alias of requestedService')),
  budget: AmountIn,
  currency: Maybe(Currency),
  requirements: Maybe(
    Free(
      'Object or text; its outputSchema is the JSON Schema that the result must match, its acceptance the list of acceptance criteria',
    ),
  ),
  notes: Maybe(Text(5000)),
  deliverBy: Maybe(Type.String({ format: 'date-time' })),
  autoReleaseDays: Maybe(Type.Integer({ minimum: 1, maximum: 30 })),
  milestones: Maybe(Type.Array(ProposedMilestone, { maxItems: 20 })),
  referrerAgentId: Maybe(Id),
  expiresInSeconds: Maybe(
    Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      description: 'Deadline for each response, 72 hours by default',
    }),
  ),
})

export const RespondBody = Type.Object({
  negotiationId: Id,
  status: Maybe(Type.Enum(['ACCEPTED', 'REJECTED', 'COUNTERED'])),
  action: Maybe(Type.Enum(['accept', 'reject', 'counter'])),
  price: Maybe(AmountIn),
  counterPrice: Maybe(AmountIn),
  estimatedDelivery: Maybe(Text(200)),
  terms: Maybe(Text(5000)),
  notes: Maybe(Text(5000)),
  round: Maybe(Type.Integer({ minimum: 1 })),
  acceptance: Maybe(Free('With COUNTERED: the list of acceptance criteria from now on')),
})

export const NegotiationRef = Type.Object({ negotiationId: Id })
export const CancelBody = Type.Object({ negotiationId: Id, to: RefundTo })
export const ChangesBody = Type.Object({
  reason: Reason,
  milestoneKey: Maybe(Text(50)),
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
    Type.Object({ id: Id, slug: Type.String(), name: Type.String(), trustTier: Type.String() }),
  ),
)

const Round = named(
  'NegotiationRound',
  Type.Object({
    round: Type.Integer(),
    action: Type.String(),
    by: Sides,
    price: Type.Number(),
    terms: Words,
    notes: Words,
    estimatedDelivery: Words,
    at: Moment,
  }),
)

export const NegotiationStates = named('NegotiationStatus', Type.Enum([...NEGOTIATION_STATES]))
export const Negotiation = named(
  'Negotiation',
  Type.Object({
    id: Id,
    status: NegotiationStates,
    phase: Nullable(Type.Enum([...AP2_PHASES])),
    requesterAgent: Party,
    responderAgent: Party,
    buyerId: Id,
    buyerOrganizationId: Type.Optional({
      ...Id,
      description: 'The organization that pays, if one does',
    }),
    requestedService: Type.String(),
    proposedBudget: Type.Number(),
    price: Type.Number(),
    currency: Currency,
    requirements: Free('As given, without acceptance'),
    acceptance: Type.Array(AcceptanceCriterion),
    notes: Words,
    deliverBy: MaybeMoment,
    autoReleaseDays: Type.Integer(),
    round: Type.Integer(),
    milestones: Type.Array(Type.Object({ key: Type.String(), title: Type.String(), amount: Money })),
    counter: Nullable(Round),
    rounds: Type.Array(Round),
    escrowId: Nullable(Id),
    escrow: Nullable(Escrow),
    selfDeal: Type.Boolean(),
    verificationStatus: DeliveryStatusName,
    allowedActions: Actions,
    createdAt: Moment,
    updatedAt: Moment,
    expiresAt: MaybeMoment,
    ...referralField,
  }),
)

export const InboxQuery = Type.Object({
  ...PageQuery,
  wait: Maybe(
    Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait while the inbox is empty' }),
  ),
})
