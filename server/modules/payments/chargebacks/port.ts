import type { Asset } from '#platform/kernel/money'
import { definePort } from '#platform/kernel/ports'
import { PAYMENT_PURPOSES, type PaymentPurpose } from '../ports.ts'

/** A step of a chargeback, for the module that used the money of the payment. */
export interface ChargebackStep {
  event: 'opened' | 'won' | 'lost'
  chargebackId: string
  paymentId: string
  /** The account that paid. */
  payerId: string
  disputeId: string
  /** What the payment refers to, such as the id of a wallet. */
  reference: string
  /** The disputed amount, which may be a part of the payment. */
  amount: bigint
  asset: Asset
  /** What earlier lost disputes of the payment took, by the account of the part. */
  lostBefore: ReadonlyMap<string, bigint>
}

/** Where a part of a lost amount is taken from. */
export interface LostPart {
  account: string
  amount: bigint
  /** Who owes what the account does not hold; null where it holds the amount for certain. */
  debtorId: string | null
}

export interface ChargebackEffect {
  /** Accounts that get a mail about it. */
  concerned: readonly string[]
  /** Of a lost chargeback: parts that sum to its amount. */
  parts?: readonly LostPart[]
}

const REASON = 'chargeback:'

/** The reason of a freeze that lasts until the dispute is decided. */
export const chargebackReason = (disputeId: string): string => `${REASON}${disputeId}`

/** The disputes that are among the reasons of a freeze. */
export const disputesAmong = (reasons: readonly string[]): string[] =>
  reasons.filter(reason => reason.startsWith(REASON)).map(reason => reason.slice(REASON.length))

/** Freezes what the payment paid for (`opened`), unfreezes it (`won`), or says who pays the lost amount (`lost`). */
export const chargeback = definePort<ChargebackStep, ChargebackEffect, PaymentPurpose>(
  'payments.chargeback',
  'by-key',
  PAYMENT_PURPOSES,
)
