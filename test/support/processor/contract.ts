import type { Processor } from '../../../server/modules/payments/processors/port.ts'
import { openSandboxFixture } from './sandbox.ts'
import { openStripeFixture } from './stripe.ts'

/** An adapter of the processor port, with what happens on the processor's side. */
export interface ContractFixture {
  processor: Processor
  /** Business time at the processor. */
  now(): Date
  /** Lets time pass at the processor: payouts and refunds go on. */
  advance(ms: number): Promise<void>
  /** A person pays a hosted page. Rejects if the card is declined or the page is closed. */
  payCheckout(checkoutId: string, cardNumber: string): Promise<void>
  /** The holder of an account completes the onboarding with a test bank account. */
  onboard(accountId: string, bank: string): Promise<void>
  /** Returns the id of the dispute. */
  openDispute(processorId: string): Promise<string>
  /** The id of the dispute that the card of a payment opened by itself. */
  disputeOf(processorId: string): Promise<string>
  closeDispute(disputeId: string, state: 'won' | 'lost'): Promise<void>
  /** Leaves the next call without an answer. */
  cutOff(kind: 'not_reached' | 'answer_lost'): Promise<void>
  close(): Promise<void>
}

/** By the name of the adapter. */
export const contractFixtures: Record<string, () => Promise<ContractFixture>> = {
  sandbox: openSandboxFixture,
  stripe: openStripeFixture,
}
