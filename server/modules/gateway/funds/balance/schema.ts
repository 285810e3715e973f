import { cardPayments } from '#payments'
import { Type } from '#platform/http/type'
import { AmountIn, Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { PROVIDERS, TIERS } from '../../core/model.ts'

const WalletId = Type.Optional(
  Type.String({ maxLength: 200, description: 'A USD wallet of your account; by default its default wallet' }),
)
export const TopupBody = Type.Object({
  amount: AmountIn,
  sourceWalletId: WalletId,
  rail: Type.Optional(
    Type.Enum(['wallet', 'card', 'checkout'], {
      description:
        'By default checkout with `returnUrl`, card with `paymentMethodId`, else wallet; checkout returns a hosted page',
    }),
  ),
  paymentMethodId: Type.Optional(cardPayments.PaymentMethodId),
  returnUrl: Type.Optional(cardPayments.PageLink('Address to return to from the hosted page; requests one')),
  receipt: Type.Optional(cardPayments.Receipt),
})
export const WithdrawBody = Type.Object({ amount: AmountIn, targetWalletId: WalletId })

const balanceFields = {
  currency: Type.Literal('USD', { description: 'Routing balances are in USD' }),
  balance: { ...Money, description: 'Real money, that leased to instances included' },
  leased: { ...Money, description: 'Part of the balance that instances have leased for requests' },
  testCredit: { ...Money, description: 'Test credit, that leased to instances included' },
  testCreditLeased: { ...Money, description: 'Part of the test credit that instances have leased' },
}
export const RoutingBalance = named('RoutingBalance', Type.Object(balanceFields))
export const RoutingTopUp = named(
  'RoutingTopUp',
  Type.Object({
    id: { ...Id, description: 'Id of the journal; of the payment while it is PENDING' },
    status: Type.Enum(['COMPLETED', 'PENDING'], {
      description: 'COMPLETED once it is posted; PENDING while a payment by card is awaited',
    }),
    paymentId: Type.Optional({ ...Id, description: 'Id of the payment by card' }),
    amount: { ...Money, description: 'Amount of the top-up, in USD' },
    test: Type.Boolean({ description: 'Test credit was moved' }),
    walletId: Nullable({ ...Id, description: 'Wallet that it came from; null for a payment by card' }),
    checkout: Type.Optional(cardPayments.Checkout),
    ...balanceFields,
  }),
)
export const RoutingTransfer = named(
  'RoutingTransfer',
  Type.Object({
    id: Id,
    amount: { ...Money, description: 'Amount that was moved, in USD' },
    test: Type.Boolean({ description: 'Test credit was moved' }),
    walletId: { ...Id, description: 'Wallet that it went to' },
    ...balanceFields,
  }),
)

const Count = Type.Integer({ minimum: 0, description: 'Number of tokens' })
export const GenerationPath = Type.Object({
  id: Type.String({ maxLength: 100, description: 'Id of a response: gen- and a UUID' }),
})
export const GenerationRecord = named(
  'Generation',
  Type.Object({
    object: Type.Literal('generation', { description: 'Kind of the object' }),
    id: Type.String({ maxLength: 200, description: 'Id of the response' }),
    createdAt: { ...Moment, description: 'When the request arrived' },
    surface: Type.Enum(['chat', 'messages', 'responses', 'embeddings'], {
      description: 'API by which it was requested',
    }),
    requestedModel: Type.String({ maxLength: 200, description: 'Model that the caller named' }),
    model: Type.String({ maxLength: 100, description: 'The model that answered' }),
    provider: Type.Enum([...PROVIDERS], { description: 'Provider of that model' }),
    tier: Type.Enum([...TIERS], { description: 'Tier of that model' }),
    complexity: Nullable(
      Type.Number({ minimum: 0, maximum: 1, description: '0 to 1; null where the caller named a model' }),
    ),
    tokens: Type.Object(
      {
        input: { ...Count, description: 'All tokens of the prompt' },
        output: { ...Count, description: 'All tokens of the answer' },
        cacheRead: { ...Count, description: 'Part of input that was read from the cache of the provider' },
        cacheWrite: { ...Count, description: 'Part of input that was written to that cache' },
        reasoning: { ...Count, description: 'Part of output' },
      },
      { description: 'Tokens that were counted' },
    ),
    costUsd: { ...Money, description: 'Cost without fee, as it was charged' },
    feeUsd: { ...Money, description: 'Fee of the service in USD' },
    totalUsd: { ...Money, description: 'What was charged to the routing balance' },
    latencyMs: { ...Count, description: 'Milliseconds until the end of the answer' },
    ttftMs: { ...Nullable(Count), description: 'Milliseconds until its first byte; null without a stream' },
    attempts: Type.Array(
      Type.Object({
        model: Type.String({ maxLength: 100, description: 'Name of the model' }),
        result: Type.String({ pattern: '^[a-z_]+$', description: 'Result of the call' }),
        latencyMs: Type.Number({ minimum: 0, description: 'Milliseconds that it took' }),
      }),
      { description: 'Models that were called, in this order' },
    ),
    outcome: Type.Enum(['completed', 'partial', 'cancelled', 'failed', 'cached'], {
      description:
        'partial broke off, cancelled was ended by the caller, cached came from the response cache',
    }),
    finishReason: Nullable(
      Type.String({ minLength: 1, description: 'Why the answer ended; null if unknown' }),
    ),
    stream: Type.Boolean({ description: 'Whether it was streamed' }),
    simulated: Type.Boolean({ description: 'Paid with test credit' }),
  }),
)
