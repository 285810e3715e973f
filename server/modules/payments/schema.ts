import { Type } from 'typebox'
import { Transaction, WalletRecord } from '#wallets'
import { AmountIn, named } from '#platform/http/schema'

export const FundWallet = Type.Object({
  amount: AmountIn,
  rail: Type.Optional(Type.Union([Type.Literal('card'), Type.Literal('checkout'), Type.Literal('x402')], { description: 'card by default; checkout answers a hosted page' })),
  paymentMethodId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Of the processor; sandbox mode pays with pm_card_visa', examples: ['pm_card_visa'] })),
  returnUrl: Type.Optional(Type.String({ maxLength: 2000, description: 'Where the hosted page leads back to; asks for one' })),
})

export const Funded = named('FundingResult', Type.Object({
  wallet: WalletRecord,
  transaction: Transaction,
  checkout: Type.Optional(Type.Object({ id: Type.String(), url: Type.String({ format: 'uri' }) }, { description: 'The hosted page on which to pay' })),
}))

export const Received = named('WebhookReceipt', Type.Object({
  received: Type.Boolean(),
  outcome: Type.String({ description: 'booked, suspense, ended, known, duplicate, recorded, unmatched, mismatch, dispute or refund', examples: ['booked'] }),
}))
