import { Type } from 'typebox'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { DELIVERY_STATES } from './delivery-machine.ts'
import { ESCROW_STATES } from './escrow-machine.ts'
import { AP2_PHASES, NEGOTIATION_STATES } from './negotiation-machine.ts'

const Text = (maxLength: number, description?: string) => Type.String({
  maxLength, ...(description ? { description } : {}),
})
const Maybe = Type.Optional
const Free = (description: string) => Type.Unknown({ description })
const Sides = named('DealRole', Type.Enum(['buyer', 'seller']))
export const Outcomes = named('DisputeOutcome', Type.Enum(['RELEASE', 'REFUND', 'SPLIT']))
const Words = Nullable(Type.String())
const MaybeMoment = Nullable(Moment)

const ProposedMilestone = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 50 }), title: Maybe(Text(200)), amount: AmountIn,
})
export const NegotiateBody = Type.Object({
  requesterAgentId: Maybe(Id), responderAgentId: Maybe(Id), responderSlug: Maybe(Text(200)),
  requestedService: Maybe(Text(5000, 'What is asked for')), service: Maybe(Text(5000, 'Alias of requestedService')),
  budget: AmountIn, currency: Maybe(Currency),
  requirements: Maybe(Free('Object or text; outputSchema in it is the rule that a result must fit')),
  notes: Maybe(Text(5000)), deliverBy: Maybe(Type.String({ format: 'date-time' })),
  autoReleaseDays: Maybe(Type.Integer({ minimum: 1, maximum: 30 })),
  milestones: Maybe(Type.Array(ProposedMilestone, { maxItems: 20 })),
  referrerAgentId: Maybe(Id),
  expiresInSeconds: Maybe(Type.Integer({ minimum: 60, maximum: 2_592_000, description: 'How long a side may stay silent; 72 hours' })),
})

export const RespondBody = Type.Object({
  negotiationId: Id, status: Maybe(Type.Enum(['ACCEPTED', 'REJECTED', 'COUNTERED'])),
  action: Maybe(Type.Enum(['accept', 'reject', 'counter'])),
  price: Maybe(AmountIn), counterPrice: Maybe(AmountIn), estimatedDelivery: Maybe(Text(200)), terms: Maybe(Text(5000)),
  notes: Maybe(Text(5000)),
  round: Maybe(Type.Integer({ minimum: 1 })),
})
export const NegotiationRef = Type.Object({ negotiationId: Id })

export const InitiateBody = Type.Object({
  negotiationId: Maybe(Id), sourceWalletId: Maybe(Id), destinationWalletId: Maybe(Id), amount: Maybe(AmountIn),
  rail: Maybe(Type.Enum(['wallet', 'card', 'x402'])), paymentMethodId: Maybe(Text(200)), purpose: Maybe(Text(500)),
  memo: Maybe(Text(500)),
  metadata: Maybe(Type.Object({}, { additionalProperties: true })),
  expectedFeeBps: Maybe(Type.Integer({ minimum: 0, maximum: 10_000 })),
})
export const ReleaseBody = Type.Object({
  escrowId: Id, amount: Maybe(AmountIn), milestoneKey: Maybe(Text(50)), memo: Maybe(Text(500)),
  acceptUnverified: Maybe(Type.Boolean({
    description: 'Pay without a verified delivery: no completion, no commission',
  })),
  expectedHeld: Maybe(AmountIn),
})
export const CompleteBody = Type.Object({
  escrowId: Id, status: Type.Enum(['SETTLED', 'FAILED']), failureReason: Maybe(Text(500)),
  externalReference: Maybe(Text(200)),
})

const deliverFields = {
  result: Maybe(Free('What was made: any JSON')),
  deliverableUrl: Maybe(Text(2000, 'Public page or file; a browser opens pages, files are fetched')),
  artifacts: Maybe(Type.Array(Type.Object({
    name: Text(200), url: Maybe(Text(2000, 'Opened like deliverableUrl')), sha256: Maybe(Text(64)), mimeType: Maybe(Text(100)),
    bytes: Maybe(Type.Integer({ minimum: 0 })),
  }, { additionalProperties: true }), {
    maxItems: 50, description: 'At most 10 URLs with deliverableUrl. At a URL, sha256 (hex), mimeType and bytes must be what is found there.',
  })),
  evidence: Maybe(Free('Whatever shows that the work was done')), notes: Maybe(Text(5000)),
  milestoneKey: Maybe(Text(50)),
  verificationHints: Maybe(Type.Object({ url: Maybe(Text(2000)), expectText: Maybe(Text(500)) })),
}
export const DeliverBody = Type.Object({ negotiationId: Id, ...deliverFields })
export const DeliverEscrowBody = Type.Object({ negotiationId: Maybe(Id), ...deliverFields })

const Reason = Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' })
const SellerBps = Maybe(Type.Integer({
  minimum: 1, maximum: 9999, description: 'Seller\'s share of a split in basis points',
}))
export const DisputeBody = Type.Object({
  reason: Reason, asks: Maybe(Outcomes), sellerBps: SellerBps, evidence: Maybe(Free('Any JSON')), as: Maybe(Sides),
})
export const AnswerBody = Type.Object({ statement: Reason })
export const ChangesBody = Type.Object({ reason: Reason, milestoneKey: Maybe(Text(50)) })
export const RefundBody = named('MemoRequest', Type.Object({ memo: Maybe(Text(500)) }))
export const ResolveBody = Type.Object({
  outcome: Outcomes, sellerBps: SellerBps, reason: Reason,
  sellerAtFault: Maybe(Type.Boolean({ description: 'Counts as a failure in the seller\'s trust score; false by default' })),
})
export const UnfreezeBody = Type.Object({ reason: Maybe(Text(2000)), freeze: Maybe(Text(200, 'One of the reasons; all of them when absent')) })

export const IdPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const DeliveryPath = Type.Object({
  id: Type.String({ maxLength: 200 }), deliveryId: Type.String({ maxLength: 200 }),
})
export const NegotiationQuery = Type.Object({
  role: Maybe(Sides), agentId: Maybe(Type.String()), status: Maybe(Type.Enum([...NEGOTIATION_STATES])), ...PageQuery,
})
export const EscrowQuery = Type.Object({
  role: Maybe(Sides), agentId: Maybe(Type.String()), status: Maybe(Type.Enum([...ESCROW_STATES])), ...PageQuery,
})
export const Paging = Type.Object(PageQuery)

const Party = Nullable(named('NegotiationParty', Type.Object({ id: Id, slug: Type.String(), name: Type.String(), trustTier: Type.String() })))
const Round = named('NegotiationRound', Type.Object({
  round: Type.Integer(), action: Type.String(), by: Sides, price: Type.Number(), terms: Words, notes: Words,
  estimatedDelivery: Words, at: Moment,
}))
export const Event = named('DealEvent', Type.Object({
  at: Moment, subject: Type.String(), event: Type.String(), from: Words, to: Type.String(), actor: Type.String(),
  details: Type.Object({}, { additionalProperties: true }),
}))
const Report = Nullable(named('VerificationReport', Type.Object({
  ok: Type.Boolean(), code: Type.String(), reason: Type.String(), verifier: Type.String(), checkedAt: Moment,
  artifacts: Maybe(Type.Array(named('ArtifactReport', Type.Object({
    name: Type.String(), url: Type.String(), ok: Type.Boolean(), code: Type.String(), reason: Words,
    kind: Nullable(Type.Enum(['page', 'file'])), verifier: Type.String(), status: Nullable(Type.Integer()), finalUrl: Words,
    contentType: Words, bytes: Type.Integer(), sha256: Words,
  })))),
}, { additionalProperties: true, description: 'What the verifier saw' })))
const attempt = {
  id: Id, escrowId: Id, milestoneKey: Words, attempt: Type.Integer(), status: Type.Enum([...DELIVERY_STATES]),
  deliverableUrl: Words, report: Report,
  url: Type.String({ description: 'Where the delivery is read with its content' }), screenshotUrl: Words,
  createdAt: Moment, updatedAt: Moment,
}
const DeliverySummary = named('DeliverySummary', Type.Object(attempt))
export const Delivery = named('Delivery', Type.Object({
  ...attempt, negotiationId: Id, result: Free('As delivered'), artifacts: Type.Array(Type.Unknown()),
  evidence: Free('As delivered'), notes: Words,
}))
const DeliveryStatusName = named('DealDeliveryStatus', Type.Enum(['NONE', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED']))
const MilestoneRecord = named('Milestone', Type.Object({
  key: Type.String(), title: Type.String(), amount: Money, released: Money, deliveryStatus: DeliveryStatusName,
  verifiedAt: MaybeMoment, autoReleaseAt: MaybeMoment,
}))
const Dispute = Nullable(named('Dispute', Type.Object({
  id: Id, openedBy: Sides, asks: Outcomes, sellerBps: Nullable(Type.Integer()), reason: Type.String(),
  evidence: Free('As given'), answer: Words, openedAt: Moment,
  answeredAt: MaybeMoment, answerBy: MaybeMoment, lapsesAt: MaybeMoment, endedAt: MaybeMoment, outcome: Words,
})))
const Actions = Type.Array(Type.String(), { description: 'What the caller may do now' })
const EscrowStates = named('EscrowStatus', Type.Enum([...ESCROW_STATES]))

export const Escrow = named('Escrow', Type.Object({
  id: Id, negotiationId: Id, buyerWalletId: Id, sellerWalletId: Id, amount: Money, released: Money, refunded: Money,
  held: Money, fee: Money, currency: Currency,
  test: Type.Boolean(), status: EscrowStates, originalStatus: Nullable(EscrowStates),
  freezes: Type.Array(Type.String()), feeBps: Type.Integer(),
  deliveryStatus: DeliveryStatusName, autoReleaseAt: MaybeMoment, deliverBy: Moment, changesRequested: Type.Integer(),
  purpose: Words, memo: Words,
  metadata: Free('As given'), milestones: Type.Array(MilestoneRecord), deliveries: Type.Array(DeliverySummary),
  dispute: Dispute, allowedActions: Actions,
  timeline: Type.Array(Event), createdAt: Moment, endedAt: MaybeMoment,
}))

const NegotiationStates = named('NegotiationStatus', Type.Enum([...NEGOTIATION_STATES]))

export const Negotiation = named('Negotiation', Type.Object({
  id: Id, status: NegotiationStates, phase: Nullable(Type.Enum([...AP2_PHASES])), requesterAgent: Party, responderAgent: Party,
  buyerId: Id, buyerOrganizationId: Type.Optional({ ...Id, description: 'Whose money it is, where an organization pays' }),
  requestedService: Type.String(),
  proposedBudget: Type.Number(), price: Type.Number(), currency: Currency, requirements: Free('As given'), notes: Words,
  deliverBy: MaybeMoment,
  autoReleaseDays: Type.Integer(), round: Type.Integer(),
  milestones: Type.Array(Type.Object({ key: Type.String(), title: Type.String(), amount: Money })),
  counter: Nullable(Round), rounds: Type.Array(Round), escrowId: Nullable(Id), escrow: Nullable(Escrow),
  selfDeal: Type.Boolean(),
  verificationStatus: DeliveryStatusName, allowedActions: Actions, createdAt: Moment, updatedAt: Moment,
  expiresAt: MaybeMoment,
}))

const Transaction = named('EscrowTransaction', Type.Object({
  id: Id, kind: Type.String(), amount: Money, currency: Currency, at: Moment, memo: Words,
  legs: Type.Array(Type.Object({ debit: Type.String(), credit: Type.String(), amount: Money, currency: Currency })),
}))
const aboutEscrow = { escrowId: Id, negotiationId: Id, status: EscrowStates, escrow: Escrow }
export const Initiated = named('InitiatedPayment', Type.Object({ ...aboutEscrow, holdTransaction: Transaction }))
export const Settlement = named('Settlement', Type.Object({
  ...aboutEscrow, transaction: Transaction, fee: Money, netToSeller: Money, commission: Money,
}))
export const Completed = named('CompletedPayment', Type.Object({ ...aboutEscrow, message: Type.String() }))
export const Delivered = named('DeliveryResult', Type.Object({ delivery: Delivery, negotiation: Negotiation }))

export const Reconciliation = named('Reconciliation', Type.Object({
  escrowId: Id, asOf: Moment, status: EscrowStates, currency: Currency, gross: Money, released: Money, refunded: Money,
  heldBalance: Money, expectedHeld: Money,
  difference: Money, fee: Money, commission: Money,
  entries: Type.Array(Type.Object({
    journalId: Id, kind: Type.String(), at: Moment, debit: Type.String(), credit: Type.String(), amount: Money,
    hash: Type.String(),
  })),
  external: Type.Array(Type.Object({
    rail: Type.String(), reference: Type.String(), amount: Money, state: Type.String(), matched: Type.Boolean(),
  })),
  checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean() })), ok: Type.Boolean(),
}))
