import { Type } from '#platform/http/type'
import { AmountIn, Id, Moment, named, Nullable } from '#platform/http/schema'

const ADDRESS = '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const TX = '0x9f8f5fd9f6a4a0d2b7f3e0d3a0b1c2d3e4f5061728394a5b6c7d8e9f00112233'

const Address = Type.String({ maxLength: 100, examples: [ADDRESS], description: 'Address on the chain' })
const NetworkName = Type.String({
  maxLength: 100,
  description: 'Chain in CAIP-2',
  examples: ['eip155:84532'],
})
const TxHash = Type.String({
  examples: [TX],
  pattern: '^0x[0-9a-fA-F]{64}$',
  description: 'Hash of the chain transaction',
})

export const InitiateX402 = Type.Object({
  agentId: { ...Id, description: 'Agent to pay' },
  amount: AmountIn,
  buyerAddress: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The only address that may pay by a plain transfer, before requests that name none; a PROVIDED seller needs it',
      examples: [ADDRESS],
    }),
  ),
  network: Type.Optional(NetworkName),
  asset: Type.Optional(
    Type.String({ maxLength: 100, description: 'USDC, or its contract', examples: ['USDC'] }),
  ),
  negotiationId: Type.Optional({
    ...Id,
    description:
      'Deal that you note; the payment does not fund its escrow, `POST /payments/ap2/initiate` does',
  }),
  paymentIdentifier: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Your own id of the payment: requested again, it is the same payment; 409 once it has ended',
    }),
  ),
})

const Extra = Type.Object({
  name: Type.String({
    maxLength: 200,
    examples: ['USDC'],
    description: 'Name of the token in its EIP-712 domain',
  }),
  version: Type.String({ examples: ['2'], description: 'Version in that domain' }),
})
const common = {
  scheme: Type.Literal('exact', { description: 'Always the exact amount' }),
  network: Type.String({ description: 'Chain: CAIP-2 in version 2, its name in version 1' }),
  asset: Type.String({ examples: [TOKEN], description: 'Contract of the token' }),
  payTo: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    examples: [ADDRESS],
    description: 'Address to pay to',
  }),
  maxTimeoutSeconds: Type.Integer({
    minimum: 0,
    description: 'For how many seconds the payment is accepted',
  }),
  extra: { ...Extra, description: 'What the client signs with (EIP-712)' },
}
const RequirementsV2 = Type.Object({
  ...common,
  amount: Type.String({
    examples: ['250000'],
    pattern: '^[0-9]+$',
    description: 'Amount in the smallest unit of the token',
  }),
})
const RequirementsV1 = Type.Object({
  ...common,
  maxAmountRequired: Type.String({
    examples: ['250000'],
    pattern: '^[0-9]+$',
    description: 'Amount in the smallest unit of the token',
  }),
  resource: Type.String({ description: 'Address that is paid for' }),
  description: Type.String({ description: 'What is paid for' }),
  mimeType: Type.String({ description: 'Media type of the response' }),
})
export const Accepts = Type.Array(Type.Union([RequirementsV2, RequirementsV1]), {
  description: 'Payment requirements of protocol version 2, then of version 1; amounts in units of the token',
})

export const X402Initiated = named(
  'X402Initiation',
  Type.Object({
    success: Type.Boolean({ description: 'Always true' }),
    transactionId: { ...Id, description: 'Id of the payment (UUIDv7)' },
    paymentRequest: Type.Object(
      {
        to: { ...Address, description: 'Address of the agent, which its other payments have too' },
        amount: Type.Number({ examples: [0.25], exclusiveMinimum: 0, description: 'Amount in USDC' }),
        currency: Type.String({ pattern: '^[A-Z]{3,4}$', examples: ['USDC'], description: 'Always USDC' }),
        network: NetworkName,
        reference: Type.String({ description: 'Id of the payment' }),
      },
      { description: 'For a plain transfer: what to send where' },
    ),
    sellerAddress: { ...Address, description: "Address of the seller's wallet" },
    accepts: Accepts,
    expiresAt: { ...Moment, description: 'Until when the payment is accepted' },
    statusUrl: Type.String({ format: 'uri', description: 'Where to read the state of the payment' }),
    payUrl: Type.String({ format: 'uri', description: 'Where an x402 client pays' }),
  }),
)

export const X402Payment = named(
  'X402Payment',
  Type.Object({
    transactionId: { ...Id, description: 'Id of the payment (UUIDv7)' },
    status: Type.Union(
      [
        Type.Literal('PENDING'),
        Type.Literal('VERIFIED'),
        Type.Literal('SETTLING'),
        Type.Literal('CONFIRMED'),
        Type.Literal('FINAL'),
        Type.Literal('FAILED'),
        Type.Literal('EXPIRED'),
        Type.Literal('LATE'),
      ],
      {
        description:
          'CONFIRMED: the seller has the money; FINAL: it can no longer be undone on the chain; LATE: it arrived after it had expired',
      },
    ),
    to: { ...Address, description: 'Address to pay to' },
    amount: Type.Number({ examples: [0.25], exclusiveMinimum: 0, description: 'Amount in USDC' }),
    currency: Type.String({ pattern: '^[A-Z]{3,4}$', examples: ['USDC'], description: 'Always USDC' }),
    network: NetworkName,
    reference: Type.String({ description: 'Id of the payment' }),
    agentId: Nullable({ ...Id, description: 'Agent that is paid; null if a wallet is funded' }),
    payer: { ...Nullable(Address), description: 'Address that paid; null before' },
    txHash: { ...Nullable(TxHash), description: 'Hash of the chain transaction; null before' },
    failure: Nullable(
      Type.String({
        description: 'Why it failed, or while it is PENDING which other amount has arrived; null otherwise',
      }),
    ),
    expiresAt: { ...Moment, description: 'Until when the payment is accepted' },
    createdAt: Moment,
  }),
)

export const ChainNotice = Type.Object({
  txHash: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{64}$',
      description: 'The transaction to read; without it the newest blocks are read',
      examples: [TX],
    }),
  ),
})
export const NoticeReceipt = named(
  'ChainNoticeReceipt',
  Type.Object({
    received: Type.Boolean({ description: 'Always true' }),
    transfers: Type.Integer({ description: 'Transfers to the service in it', minimum: 0 }),
  }),
)
