import { invalid } from '#platform/kernel/errors'
import { share } from '#platform/kernel/money'
import { CONFIRMATION_REQUIRED } from '../port.ts'
import { fingerprintOf } from './banks.ts'

/** What a test payment method does; the names and card numbers are Stripe's. */
export interface TestCard {
  id: string
  number: string
  declined?: { code: string; message: string }
  /** The bank wants the holder to confirm each payment. */
  isConfirmed?: true
  /** What happens after the charge. */
  then?: 'dispute' | 'refund is pending' | 'refund fails'
}

const declines = (id: string, number: string, code: string, message: string): TestCard => ({
  id,
  number,
  declined: { code, message },
})

export const testCards: readonly TestCard[] = [
  { id: 'pm_card_visa', number: '4242424242424242' },
  { id: 'pm_card_visa_debit', number: '4000056655665556' },
  { id: 'pm_card_mastercard', number: '5555555555554444' },
  { id: 'pm_card_amex', number: '378282246310005' },
  { id: 'pm_card_createDispute', number: '4000000000000259', then: 'dispute' },
  { id: 'pm_card_pendingRefund', number: '4000000000007726', then: 'refund is pending' },
  { id: 'pm_card_refundFail', number: '4000000000005126', then: 'refund fails' },
  { id: 'pm_card_authenticationRequired', number: '4000002760003184', isConfirmed: true },
  declines('pm_card_chargeDeclined', '4000000000000002', 'card_declined', 'Your card was declined.'),
  declines(
    'pm_card_chargeDeclinedInsufficientFunds',
    '4000000000009995',
    'insufficient_funds',
    'Your card has insufficient funds.',
  ),
  declines('pm_card_chargeDeclinedLostCard', '4000000000009987', 'lost_card', 'Your card was declined.'),
  declines('pm_card_chargeDeclinedStolenCard', '4000000000009979', 'stolen_card', 'Your card was declined.'),
  declines('pm_card_chargeDeclinedExpiredCard', '4000000000000069', 'expired_card', 'Your card has expired.'),
  declines(
    'pm_card_chargeDeclinedIncorrectCvc',
    '4000000000000127',
    'incorrect_cvc',
    "Your card's security code is incorrect.",
  ),
  declines(
    'pm_card_chargeDeclinedProcessingError',
    '4000000000000119',
    'processing_error',
    'An error occurred while processing your card. Try again in a little bit.',
  ),
  declines(
    'pm_card_chargeDeclinedVelocityLimitExceeded',
    '4000000000006975',
    'card_velocity_exceeded',
    'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
  ),
  declines('pm_card_chargeDeclinedFraudulent', '4100000000000019', 'fraudulent', 'Your card was declined.'),
]

/** The card of a payment method or number; `pm_card_visa_chargeDeclined...` is another name of some. ValidationError. */
export function cardOf(method: string): TestCard {
  const wanted = method.replaceAll(/[\s-]/g, '').replace('pm_card_visa_charge', 'pm_card_charge')
  const card = testCards.find(({ id, number }) => wanted === id || wanted === number)
  if (card) return card
  // What a person has typed. Programs send the id of a payment method.
  if (!wanted.startsWith('pm_'))
    throw invalid('your card number is incorrect: use a test card, such as 4242 4242 4242 4242')
  const known = testCards.map(({ id }) => id).join(', ')
  throw invalid(`no such payment method or card: the sandbox knows ${known}`)
}

/** The same for a charge, at which no holder is there who could confirm it. */
export function cardOfCharge(method: string): TestCard {
  const card = cardOf(method)
  return card.isConfirmed ? { ...card, declined: CONFIRMATION_REQUIRED } : card
}

/** What the simulated processor calls the card of a payment method; null for a payment that it does not say the card of. */
export function cardFingerprintOf(method: string | undefined): string | null {
  const card = testCards.find(({ id }) => id === method)
  return card ? fingerprintOf(card.number) : null
}

/** The processor's own fee on a card payment: 2.9 % and 30 cents, rounded up to a cent. */
export const feeCents = (cents: number): number => Number(share(BigInt(cents), 290, 'ceil')) + 30
