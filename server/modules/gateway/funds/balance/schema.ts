import { Type } from '#platform/http/type'
import { AmountIn, Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { PROVIDERS, TIERS } from '../../core/model.ts'

const WalletId = Type.Optional(
  Type.String({ maxLength: 200, description: 'A USD wallet of your account; by default its default wallet' }),
)
export const TopupBody = Type.Object({ amount: AmountIn, sourceWalletId: WalletId })
export const WithdrawBody = Type.Object({ amount: AmountIn, targetWalletId: WalletId })

const balanceFields = {
  currency: Type.Literal('USD'),
  balance: Type.String({ description: 'Real money, that leased to instances included' }),
  leased: Type.String({ description: 'Part of the balance that instances have leased for requests' }),
  testCredit: Type.String({ description: 'Test credit, that leased to instances included' }),
  testCreditLeased: Type.String({ description: 'Part of the test credit that instances have leased' }),
}
export const RoutingBalance = named('RoutingBalance', Type.Object(balanceFields))
export const RoutingTransfer = named(
  'RoutingTransfer',
  Type.Object({
    id: Id,
    amount: Money,
    test: Type.Boolean({ description: 'Test credit was moved' }),
    walletId: Id,
    ...balanceFields,
  }),
)

const Count = Type.Integer()
export const GenerationPath = Type.Object({
  id: Type.String({ maxLength: 100, description: 'Id of a response: gen- and a UUID' }),
})
export const GenerationRecord = named(
  'Generation',
  Type.Object({
    object: Type.Literal('generation'),
    id: Type.String({ description: 'Id of the response' }),
    createdAt: Moment,
    surface: Type.Enum(['chat', 'messages', 'responses', 'embeddings']),
    requestedModel: Type.String(),
    model: Type.String({ description: 'The model that answered' }),
    provider: Type.Enum([...PROVIDERS]),
    tier: Type.Enum([...TIERS]),
    complexity: Nullable(Type.Number({ description: '0 to 1; null where the caller named a model' })),
    tokens: Type.Object({
      input: Count,
      output: Count,
      cacheRead: Count,
      cacheWrite: Count,
      reasoning: Count,
    }),
    costUsd: Type.String({ description: 'Cost without fee, as it was charged' }),
    feeUsd: Money,
    totalUsd: Type.String({ description: 'What was charged to the routing balance' }),
    latencyMs: Count,
    ttftMs: Nullable(Count),
    attempts: Type.Array(
      Type.Object({ model: Type.String(), result: Type.String(), latencyMs: Type.Number() }),
    ),
    outcome: Type.Enum(['completed', 'partial', 'cancelled', 'failed', 'cached']),
    finishReason: Nullable(Type.String()),
    stream: Type.Boolean(),
    simulated: Type.Boolean({ description: 'Paid with test credit' }),
  }),
)
