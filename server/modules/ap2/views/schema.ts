import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { NEGOTIATION_STATES } from '../deal/negotiation-machine.ts'
import { Maybe, Sides, Words } from '../deal/schema.ts'
import { EscrowStates } from '../escrow/schema.ts'
import { NegotiationStates, Party } from '../negotiation/schema.ts'

export const PurchaseQuery = Type.Object({
  status: Maybe(Type.Enum([...NEGOTIATION_STATES], { description: 'Only deals in this state' })),
  ...PageQuery,
})
export const RoleQuery = Type.Object({ role: Maybe(Sides), ...PageQuery })

const summary = {
  id: { ...Id, description: 'Id of the negotiation' },
  requestedService: Type.String({ maxLength: 5000, description: 'What is bought' }),
  amount: { ...Money, description: 'Price of the deal in `currency`' },
  currency: Currency,
  status: NegotiationStates,
  selfDeal: Type.Boolean({ description: 'Whether both agents have one owner: it does not count for trust' }),
  escrow: {
    ...Nullable(
      named(
        'EscrowSummary',
        Type.Object({
          id: { ...Id, description: 'Id of the escrow' },
          status: EscrowStates,
          held: { ...Money, description: 'What it still holds; 0.00 until it is funded' },
          released: { ...Money, description: 'What the seller got, fee included' },
          refunded: { ...Money, description: 'What returned to the buyer' },
          test: Type.Boolean({ description: 'Whether test credit pays for it' }),
        }),
      ),
    ),
    description: 'Escrow of the deal; null before it is funded',
  },
  createdAt: Moment,
  updatedAt: Moment,
}

export const Purchase = named(
  'Purchase',
  Type.Object({
    ...summary,
    agent: { ...Party, description: 'The agent that sells; null if it no longer exists' },
  }),
)
export const AgentTransaction = named(
  'AgentTransaction',
  Type.Object({
    ...summary,
    role: { ...Sides, description: 'Side of the agent in the deal' },
    counterparty: { ...Party, description: 'Agent of the other party; null without one' },
  }),
)

export const AgentPayment = named(
  'AgentPayment',
  Type.Object({
    id: Type.String({ maxLength: 200, description: 'Id of the journal in the ledger (UUIDv7)' }),
    type: Type.String({ examples: ['ap2.release'], description: 'Kind of the journal' }),
    direction: Type.Enum(['RECEIVED', 'SPENT'], { description: 'Whether the agent got or spent the amount' }),
    amount: { ...Money, description: 'Positive amount in `currency`' },
    currency: Currency,
    test: Type.Boolean({ description: 'Whether it is test credit' }),
    walletId: { ...Id, description: 'Wallet of the agent' },
    counterpart: Type.String({ description: 'The other side of the transaction' }),
    counterpartyAgentId: Nullable({ ...Id, description: 'Agent on the other side; null without one' }),
    requestedService: { ...Words, description: 'What was bought; null without a deal' },
    negotiationId: Nullable({ ...Id, description: 'Id of the deal; null without one' }),
    escrowId: Nullable({ ...Id, description: 'Id of the escrow; null without one' }),
    memo: { ...Words, description: 'Memo of the transaction; null without one' },
    createdAt: Moment,
  }),
)

const Count = Type.Integer({ minimum: 0 })
export const AgentNetwork = named(
  'AgentNetwork',
  Type.Object({
    primaryAgentId: { ...Id, description: 'Id of the agent that was asked for' },
    nodes: Type.Array(
      named(
        'NetworkNode',
        Type.Object({
          id: { ...Id, description: 'Id of the agent' },
          name: Type.String({ maxLength: 200, description: 'Display name of the agent' }),
          slug: Type.String({
            pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
            maxLength: 80,
            description: 'Unique name of the agent in addresses',
          }),
          interactions: { ...Count, description: 'Deals with the primary agent' },
          dealsAsBuyer: { ...Count, description: 'Of these, deals in which this agent bought' },
          dealsAsSeller: { ...Count, description: 'Of these, deals in which this agent sold' },
        }),
      ),
      { description: 'The agent itself first, then at most 100 others' },
    ),
    edges: Type.Array(
      named(
        'NetworkEdge',
        Type.Object({
          source: {
            ...Id,
            description: 'The buying agent',
            examples: ['0198c0de-0000-7000-8000-000000000002'],
          },
          target: {
            ...Id,
            description: 'The selling agent',
            examples: ['0198c0de-0000-7000-8000-000000000001'],
          },
          transactionCount: { ...Count, description: 'Deals of the pair in this direction' },
          totalValue: { ...Money, description: 'Sum of their prices' },
          latestStatus: { ...NegotiationStates, description: 'State of the newest of them' },
        }),
      ),
      { description: 'Pairs of agents that have deals' },
    ),
  }),
)
