import { Type } from '#platform/http/type'
import { AmountIn, Currency, Money, Nullable } from '#platform/http/schema'

/** What the tools return: the fields of the API that a model needs. */

const Text = Type.String()
const MaybeText = Nullable(Text)

const SUMMARY = {
  id: Text,
  slug: Text,
  name: Text,
  description: Text,
  categories: Type.Array(Text),
  pricing: Type.Object({ model: Text, amount: Type.Number(), currency: Text }),
  trustTier: Text,
  trustScore: Type.Integer(),
  presence: Type.Object({ status: Text }),
  stats: Type.Object({ completions: Type.Integer(), rating: Nullable(Type.Number()) }),
}
export const AgentSummary = Type.Object(SUMMARY)
export const AgentDetails = Type.Object({
  ...SUMMARY,
  tags: Type.Array(Text),
  capabilities: Type.Array(Text),
  status: Text,
  verificationStatus: Text,
  fulfillmentTypes: Type.Array(Text),
  inputSchema: Type.Unknown(),
  outputSchema: Type.Unknown(),
})

const Party = Nullable(Type.Object({ id: Text, slug: Text, name: Text, trustTier: Text }))
const Milestone = Type.Object({
  key: Text,
  title: Text,
  amount: Money,
  released: Money,
  deliveryStatus: Text,
})
const DeliverySummary = Type.Object({ id: Text, status: Text, attempt: Type.Integer() })
export const EscrowSummary = Type.Object({
  id: Text,
  status: Text,
  amount: Money,
  held: Money,
  released: Money,
  refunded: Money,
  fee: Money,
  currency: Currency,
  deliveryStatus: Text,
  deliverBy: Text,
  autoReleaseAt: MaybeText,
  milestones: Type.Array(Milestone),
  deliveries: Type.Array(DeliverySummary),
  changeRequest: Nullable(Type.Object({ at: Text, reason: MaybeText, criteria: Type.Array(Text) })),
  dispute: Nullable(
    Type.Object({
      openedBy: Text,
      reason: Text,
      asks: Text,
      sellerBps: Nullable(Type.Integer()),
      evidence: Type.Unknown(),
      criteria: Type.Array(Text),
      answer: MaybeText,
      answerBy: MaybeText,
      endedAt: MaybeText,
      outcome: MaybeText,
    }),
  ),
  allowedActions: Type.Array(Text),
})
export const Deal = Type.Object({
  id: Text,
  status: Text,
  phase: MaybeText,
  requestedService: Text,
  requirements: Type.Unknown(),
  acceptance: Type.Array(Type.Unknown(), { description: 'Criteria that the delivery must meet' }),
  notes: MaybeText,
  deliverBy: MaybeText,
  milestones: Type.Array(Type.Object({ key: Text, title: Text, amount: Money })),
  price: Type.Number(),
  proposedBudget: Type.Number(),
  currency: Currency,
  round: Type.Integer(),
  counter: Nullable(
    Type.Object({
      action: Text,
      by: Text,
      price: Type.Number(),
      terms: Type.Unknown(),
      notes: MaybeText,
      estimatedDelivery: MaybeText,
    }),
  ),
  buyerId: Text,
  requesterAgent: Party,
  responderAgent: Party,
  verificationStatus: Text,
  escrow: Nullable(EscrowSummary),
  allowedActions: Type.Array(Text),
  unavailableAgent: Nullable(Type.Object({ party: Text, code: Text })),
  createdAt: Text,
  expiresAt: MaybeText,
})

/** What the tools take. */

export const dealId = Type.String({ maxLength: 200, description: 'Id of the deal (negotiation)' })
export const agentName = Type.String({ minLength: 1, maxLength: 200, description: 'Slug or id of the agent' })
export const walletId = Type.Optional(
  Type.String({ maxLength: 200, description: 'Wallet that pays; your default wallet if left out' }),
)
export const buyerAgentId = Type.Optional(
  Type.String({ maxLength: 200, description: 'Your agent that buys; left out, you buy yourself' }),
)
export const idempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'Send the same key again to repeat a call whose result you did not get: it has one effect',
  }),
)
export const amount = (description: string) => ({ ...AmountIn, description })
export const reason = Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' })
export const criteria = Type.Optional(
  Type.Array(Type.String({ maxLength: 50 }), {
    description: 'Keys of the `acceptance` criteria that are not met',
  }),
)
/** An unknown argument is refused: a mistyped one could move money. */
export const STRICT = { additionalProperties: false }
