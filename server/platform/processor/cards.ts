import { share } from '../money.ts'

/** What a test payment method does; the names and card numbers are Stripe's. */
export interface TestCard { id: string; number: string; declined?: { code: string; message: string } }

const INSUFFICIENT = { code: 'insufficient_funds', message: 'Your card has insufficient funds.' }

export const testCards: readonly TestCard[] = [
  { id: 'pm_card_visa', number: '4242424242424242' },
  { id: 'pm_card_mastercard', number: '5555555555554444' },
  { id: 'pm_card_createDispute', number: '4000000000000259' },
  { id: 'pm_card_chargeDeclined', number: '4000000000000002', declined: { code: 'card_declined', message: 'Your card was declined.' } },
  { id: 'pm_card_chargeDeclinedInsufficientFunds', number: '4000000000009995', declined: INSUFFICIENT },
]

/** The processor's own fee on a card payment: 2.9 % and 30 cents, rounded up to a cent. */
export const feeCents = (cents: number): number => Number(share(BigInt(cents), 290, 'ceil')) + 30
