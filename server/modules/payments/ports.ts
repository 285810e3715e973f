import { definePort } from '#platform/kernel/ports'
import type { Db } from '#platform/kernel/db'
import type { Asset, Leg } from '#platform/kernel/money'

/** What a payment is for. */
export const PAYMENT_PURPOSES = ['WALLET_FUNDING', 'ESCROW', 'SUBSCRIPTION', 'ROUTING'] as const
export type PaymentPurpose = (typeof PAYMENT_PURPOSES)[number]

export interface ConfirmedPayment {
  paymentId: string
  /** What the purpose refers to, such as the id of a wallet. */
  reference: string
  amount: bigint
  asset: Asset
  /** The ledger account that received the money: that of the processor, or of a chain. */
  source: string
}

/** Where the money of a confirmed payment goes, in the journal of the payment. */
export interface Destination {
  /** Legs that take the whole amount out of `source`. */
  legs: Leg[]
  /** Sealed with the journal, beside the id of the payment. */
  reference?: Record<string, string>
}

/** Decides where the money of a confirmed payment belongs, and writes what the confirmation changes. */
export const paymentDestination = definePort<ConfirmedPayment, Destination, PaymentPurpose>(
  'payments.destination',
  'by-key',
  PAYMENT_PURPOSES,
)

/** What events of the processor are about, beside payments by card. Each family has one owner. */
export const PROCESSOR_EVENT_FAMILIES = ['account', 'transfer', 'payout', 'refund', 'dispute'] as const
export type ProcessorEventFamily = (typeof PROCESSOR_EVENT_FAMILIES)[number]

/** An event of the processor, whose signature was checked. */
export interface ProcessorHint {
  eventId: string
  /** In Stripe's words, such as `payout.paid`. */
  type: string
  /** The object that it is about, as it was then: events come late, twice and out of order. */
  object: Record<string, unknown>
  /** The connected account that it happened on. */
  accountId: string | null
}

/**
 * Handles an event of one family and returns its outcome in a word, such as `booked` or `known`. It is a hint only: the
 * handler reads the state through the processor port, outside a transaction, then applies it in one of its own. It must
 * be repeatable: an event that failed comes again. NoAnswer makes the processor repeat it.
 */
export const processorEvent = definePort<ProcessorHint, string, ProcessorEventFamily, Db>(
  'payments.processor-event',
  'by-key',
  PROCESSOR_EVENT_FAMILIES,
)
