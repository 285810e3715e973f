import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { NEGOTIATION_STATES } from '../deal/negotiation-machine.ts'
import { Maybe, Sides, Words } from '../deal/schema.ts'
import { NegotiationStates, Party } from '../negotiation/schema.ts'

export const PurchaseQuery = Type.Object({
  status: Maybe(Type.Enum([...NEGOTIATION_STATES])),
  ...PageQuery,
})
export const RoleQuery = Type.Object({ role: Maybe(Sides), ...PageQuery })

const summary = {
  id: { ...Id, description: 'Id of the negotiation' },
  requestedService: Type.String(),
  amount: Money,
  currency: Currency,
  status: NegotiationStates,
  selfDeal: Type.Boolean(),
  escrow: Nullable(
    named(
      'EscrowSummary',
      Type.Object({
        id: Id,
        status: Type.String({ examples: ['HELD'] }),
        held: Money,
        released: Money,
        refunded: Money,
        test: Type.Boolean(),
      }),
    ),
  ),
  createdAt: Moment,
  updatedAt: Moment,
}

export const Purchase = named('Purchase', Type.Object({ ...summary, agent: Party }))
export const AgentTransaction = named(
  'AgentTransaction',
  Type.Object({ ...summary, role: Sides, counterparty: Party }),
)

export const AgentPayment = named(
  'AgentPayment',
  Type.Object({
    id: Type.String({ description: 'Journal id in the ledger' }),
    type: Type.String({ examples: ['ap2.release'] }),
    direction: Type.Enum(['RECEIVED', 'SPENT']),
    amount: Money,
    currency: Currency,
    test: Type.Boolean(),
    walletId: Id,
    counterpart: Type.String({ description: 'The other side of the transaction' }),
    counterpartyAgentId: Nullable(Id),
    requestedService: Words,
    negotiationId: Nullable(Id),
    escrowId: Nullable(Id),
    memo: Words,
    createdAt: Moment,
  }),
)

const Count = Type.Integer({ minimum: 0 })
export const AgentNetwork = named(
  'AgentNetwork',
  Type.Object({
    primaryAgentId: Id,
    nodes: Type.Array(
      named(
        'NetworkNode',
        Type.Object({
          id: Id,
          name: Type.String(),
          slug: Type.String(),
          interactions: Count,
          dealsAsBuyer: Count,
          dealsAsSeller: Count,
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
          transactionCount: Count,
          totalValue: Money,
          latestStatus: NegotiationStates,
        }),
      ),
    ),
  }),
)
