import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { ESCROW_STATES } from '../deal/escrow-machine.ts'

const Party = named(
  'AdminParty',
  Type.Object({
    accountId: Id,
    accountName: Type.String({ description: 'Empty for a deleted account', examples: ['Ada'] }),
    agentId: Nullable(Id),
    agentName: Nullable(Type.String({ examples: ['Scribe'] })),
    agentSlug: Nullable(Type.String({ examples: ['scribe'] })),
  }),
)

export const AdminEscrow = named(
  'AdminEscrow',
  Type.Object({
    id: Id,
    negotiationId: Id,
    requestedService: Type.String(),
    buyer: Party,
    seller: Party,
    amount: Money,
    held: Money,
    currency: Currency,
    test: Type.Boolean({ description: 'Whether test credit pays for it', examples: [false] }),
    status: Type.Enum([...ESCROW_STATES]),
    freezes: Type.Array(Type.String(), { description: 'Why it is frozen' }),
    frozenAt: Nullable(Moment),
    disputeReason: Nullable(
      Type.String({ description: 'Of the open dispute', examples: ['The notes are of another version'] }),
    ),
    answerBy: Nullable({ ...Moment, description: 'Until when the other party may respond to the dispute' }),
    createdAt: Moment,
  }),
)

export const AdminEscrowQuery = Type.Object({
  id: Type.Optional({ ...Id, description: 'This escrow alone' }),
  status: Type.Optional(Type.Enum([...ESCROW_STATES])),
  accountId: Type.Optional({ ...Id, description: 'Buyer or seller' }),
  ...PageQuery,
})
