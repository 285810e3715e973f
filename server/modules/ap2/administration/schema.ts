import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { ESCROW_STATES } from '../deal/escrow-machine.ts'

const Party = named(
  'AdminParty',
  Type.Object({
    accountId: { ...Id, description: 'Id of the account' },
    accountName: Type.String({ description: 'Empty for a deleted account', examples: ['Ada'] }),
    agentId: Nullable({ ...Id, description: 'Id of its agent in the deal; null without one' }),
    agentName: Nullable(
      Type.String({ examples: ['Scribe'], description: 'Display name of the agent; null without one' }),
    ),
    agentSlug: Nullable(
      Type.String({
        examples: ['scribe'],
        description: 'Unique name of the agent in addresses; null without one',
      }),
    ),
  }),
)

export const AdminEscrow = named(
  'AdminEscrow',
  Type.Object({
    id: { ...Id, description: 'Id of the escrow (UUIDv7)' },
    negotiationId: { ...Id, description: 'Id of the deal' },
    requestedService: Type.String({ maxLength: 5000, description: 'What is bought' }),
    buyer: { ...Party, description: 'Who pays' },
    seller: { ...Party, description: 'Who delivers' },
    amount: { ...Money, description: 'Amount that was paid in, in `currency`' },
    held: { ...Money, description: 'What it still holds, in `currency`; 0.00 until it is funded' },
    currency: Currency,
    test: Type.Boolean({ description: 'Whether test credit pays for it', examples: [false] }),
    status: Type.Enum([...ESCROW_STATES], { description: 'State of the escrow' }),
    freezes: Type.Array(Type.String(), { description: 'Why it is frozen' }),
    frozenAt: Nullable({ ...Moment, description: 'When it was frozen; null if it is not' }),
    disputeReason: Nullable(
      Type.String({ description: 'Of the open dispute', examples: ['The notes are of another version'] }),
    ),
    answerBy: Nullable({ ...Moment, description: 'Until when the other party may respond to the dispute' }),
    createdAt: Moment,
  }),
)

export const AdminEscrowQuery = Type.Object({
  id: Type.Optional({ ...Id, description: 'This escrow alone' }),
  status: Type.Optional(Type.Enum([...ESCROW_STATES], { description: 'Only escrows in this state' })),
  accountId: Type.Optional({ ...Id, description: 'Buyer or seller' }),
  ...PageQuery,
})
