import { Type } from '#platform/http/type'
import { AmountIn, Id, Moment, named, Nullable } from '#platform/http/schema'

const ADDRESS = '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const TX = '0x9f8f5fd9f6a4a0d2b7f3e0d3a0b1c2d3e4f5061728394a5b6c7d8e9f00112233'

const Address = Type.String({ maxLength: 100, examples: [ADDRESS] })
const NetworkName = Type.String({ maxLength: 100, description: 'CAIP-2', examples: ['eip155:84532'] })
const TxHash = Type.String({ examples: [TX] })

export const InitiateX402 = Type.Object({
  agentId: Id,
  amount: AmountIn,
  buyerAddress: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The only address that may pay by a plain transfer; a PROVIDED seller needs it for one',
      examples: [ADDRESS],
    }),
  ),
  network: Type.Optional(NetworkName),
  asset: Type.Optional(
    Type.String({ maxLength: 100, description: 'USDC, or its contract', examples: ['USDC'] }),
  ),
  negotiationId: Type.Optional(Id),
  paymentIdentifier: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Your own id of the payment: requested again, it is the same payment',
    }),
  ),
})

const Extra = Type.Object({
  name: Type.String({ examples: ['USDC'] }),
  version: Type.String({ examples: ['2'] }),
})
const common = {
  scheme: Type.Literal('exact'),
  network: Type.String(),
  asset: Type.String({ examples: [TOKEN] }),
  payTo: Type.String({ examples: [ADDRESS] }),
  maxTimeoutSeconds: Type.Integer(),
  extra: Extra,
}
const RequirementsV2 = Type.Object({ ...common, amount: Type.String({ examples: ['250000'] }) })
const RequirementsV1 = Type.Object({
  ...common,
  maxAmountRequired: Type.String({ examples: ['250000'] }),
  resource: Type.String(),
  description: Type.String(),
  mimeType: Type.String(),
})
export const Accepts = Type.Array(Type.Union([RequirementsV2, RequirementsV1]), {
  description: 'Payment requirements of protocol version 2, then of version 1; amounts in units of the token',
})

export const X402Initiated = named(
  'X402Initiation',
  Type.Object({
    success: Type.Boolean(),
    transactionId: Id,
    paymentRequest: Type.Object({
      to: Address,
      amount: Type.Number({ examples: [0.25] }),
      currency: Type.String({ examples: ['USDC'] }),
      network: NetworkName,
      reference: Type.String(),
    }),
    sellerAddress: Address,
    accepts: Accepts,
    expiresAt: Moment,
    statusUrl: Type.String({ format: 'uri' }),
    payUrl: Type.String({ format: 'uri', description: 'Where an x402 client pays' }),
  }),
)

export const X402Payment = named(
  'X402Payment',
  Type.Object({
    transactionId: Id,
    status: Type.Union([
      Type.Literal('PENDING'),
      Type.Literal('VERIFIED'),
      Type.Literal('SETTLING'),
      Type.Literal('CONFIRMED'),
      Type.Literal('FINAL'),
      Type.Literal('FAILED'),
      Type.Literal('EXPIRED'),
      Type.Literal('LATE'),
    ]),
    to: Address,
    amount: Type.Number({ examples: [0.25] }),
    currency: Type.String({ examples: ['USDC'] }),
    network: NetworkName,
    reference: Type.String(),
    agentId: Nullable(Id),
    payer: Nullable(Address),
    txHash: Nullable(TxHash),
    failure: Nullable(Type.String()),
    expiresAt: Moment,
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
    received: Type.Boolean(),
    transfers: Type.Integer({ description: 'Transfers to the service in it' }),
  }),
)
