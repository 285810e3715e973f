import type { Movement } from '../statement-port.ts'

/** The objects that the simulated processor stores, in Stripe's words, as far as they are used here. */

type Marked<Key extends string> = Partial<Record<Key, string>> & { installation?: string }

export interface Payment {
  id: string
  object: 'payment_intent'
  amount: number
  amount_received: number
  currency: 'usd'
  status: 'succeeded' | 'requires_payment_method'
  description: string
  payment_method: string
  latest_charge: string
  livemode: false
  metadata: Marked<'paymentId'>
  amount_refunded?: number
  disputed?: boolean
  balance_transaction?: { fee: number; net: number }
  last_payment_error?: { code: string; message: string }
}

export interface Session {
  amount_total: number
  description: string
  /** Who sells, beyond Stripe: its page names the platform. */
  seller?: string
  /** The links are erased with the account of the payer. */
  success_url?: string | null
  cancel_url?: string | null
  /** In seconds, as Stripe writes it. */
  expires_at?: number
  metadata: Marked<'paymentId'>
}

export interface RefundBody {
  id: string
  object: 'refund'
  amount: number
  currency: 'usd'
  payment_intent: string
  charge: string
  status: 'pending' | 'succeeded' | 'failed'
  failure_reason?: string
  metadata: Marked<'refundId'>
}

export interface Account {
  id: string
  object: 'account'
  type: 'express'
  email: string | null
  country: string | null
  details_submitted: boolean
  payouts_enabled: boolean
  requirements: { currently_due: string[]; disabled_reason: string | null }
  metadata: Marked<'ownerId'>
  /** The test bank account of the onboarding. */
  bank: string | null
}

export interface AccountLink {
  account: string
  return_url: string
  refresh_url: string
  /** Milliseconds since 1970, real time. */
  expires_at: number
}

/** A transfer to a connected account and the payout from it, as one order. */
export interface PayoutBody {
  id: string
  object: 'payout'
  amount: number
  currency: 'usd'
  description: string
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled'
  failure_code: string | null
  failure_message: string | null
  /** The connected account. */
  account: string
  transfer: string
  isReversed: boolean
  metadata: Marked<'payoutId'>
}

export interface DisputeBody {
  id: string
  object: 'dispute'
  amount: number
  currency: 'usd'
  charge: string
  payment_intent: string
  reason: string
  status: 'needs_response' | 'under_review' | 'won' | 'lost'
  /** Seconds since 1970, business time. */
  evidence_details: { due_by: number | null; has_evidence: boolean; submission_count: number }
  balance_transactions: { amount: number; fee: number }[]
  metadata: Record<string, string>
}

/** What each kind of object holds. */
export interface Bodies {
  payment_intent: Payment
  'checkout.session': Session
  refund: RefundBody
  account: Account
  account_link: AccountLink
  payout: PayoutBody
  dispute: DisputeBody
}
export type ObjectKind = keyof Bodies

export interface ProcessorObject<Kind extends ObjectKind> {
  id: string
  kind: Kind
  status: string
  body: Bodies[Kind]
}

/** What happens to an object by itself. */
export type TaskKind =
  | 'refund ends'
  | 'identity is checked'
  | 'payout leaves'
  | 'payout arrives'
  | 'payout returns'
  | 'dispute ends'

export type SandboxMovement = Omit<Movement, 'sourceId'> & { sourceId: string }
