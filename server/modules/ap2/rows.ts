import type { VerificationReport } from '#platform/browser/verifier'
import type { Asset } from '#platform/money'
import type { DeliveryStatus } from './delivery-machine.ts'
import type { EscrowStatus } from './escrow-machine.ts'
import type { Milestone } from './milestones.ts'
import type { NegotiationStatus } from './negotiation-machine.ts'

/** Rows as the tables hold them (migrations/): transitions answer the whole row. */

export type Side = 'buyer' | 'seller'
export type Outcome = 'RELEASE' | 'REFUND' | 'SPLIT'

export interface NegotiationRow {
  id: string
  status: NegotiationStatus
  buyer_account_id: string
  buyer_agent_id: string | null
  /** Whose side it is then: those who run the organization speak, not the account. */
  buyer_organization_id: string | null
  seller_account_id: string
  seller_agent_id: string | null
  seller_organization_id: string | null
  self_deal: boolean
  requested_service: string
  currency: Asset
  budget: bigint
  price: bigint
  offered_by: Side
  round: number
  requirements: unknown
  acceptance_schema: object | null
  notes: string | null
  milestones: Milestone[] | null
  deliver_by: Date | null
  auto_release_days: number
  referrer_agent_id: string | null
  silence_seconds: number
  expires_at: Date | null
  fund_by: Date | null
  ended_at: Date | null
  created_at: Date
  updated_at: Date
}

export interface RoundRow {
  negotiation_id: string
  round: number
  action: 'PROPOSED' | 'COUNTERED' | 'ACCEPTED' | 'REJECTED'
  side: Side
  price: bigint
  terms: string | null
  notes: string | null
  estimated_delivery: string | null
  at: Date
}

export interface EscrowRow {
  id: string
  negotiation_id: string
  status: EscrowStatus
  buyer_wallet_id: string
  seller_wallet_id: string
  currency: Asset
  test: boolean
  amount: bigint
  released: bigint
  refunded: bigint
  fees: bigint
  fee_bps: number
  releases: number
  refunds: number
  unverified: boolean
  changes_requested: number
  deliver_by: Date
  original_status: EscrowStatus | null
  freezes: string[]
  frozen_at: Date | null
  disputed_at: Date | null
  answer_by: Date | null
  lapses_at: Date | null
  purpose: string | null
  memo: string | null
  metadata: unknown
  ended_at: Date | null
  created_at: Date
  updated_at: Date
}

export interface MilestoneRow {
  id: string
  escrow_id: string
  place: number
  key: string
  title: string
  amount: bigint
  released: bigint
  delivery_status: 'NONE' | 'VERIFYING' | 'VERIFIED' | 'FAILED' | 'SUPERSEDED'
  verified_at: Date | null
  auto_release_at: Date | null
}

/** What the verifier saw; kept with the delivery. `code` is `ok` where it is well. */
export type Report = Partial<Omit<VerificationReport, 'code' | 'reason' | 'verifier' | 'screenshot' | 'checkedAt'>> & {
  ok: boolean
  code: string
  reason: string
  verifier: string
  checkedAt: string
  artifacts?: ArtifactReport[]
}

/** What the verifier saw at the URL of an artifact. */
export type ArtifactReport = { name: string } & Pick<
  VerificationReport, 'url' | 'ok' | 'code' | 'reason' | 'kind' | 'verifier' | 'status' | 'finalUrl' | 'contentType' | 'bytes' | 'sha256'
>

/** A thing delivered; what the seller says of it is checked where it has a `url`. */
export interface Artifact {
  name: string
  url?: string
  sha256?: string
  mimeType?: string
  bytes?: number
}

export interface DeliveryRow {
  id: string
  negotiation_id: string
  escrow_id: string
  milestone_id: string
  attempt: number
  status: DeliveryStatus
  actor_id: string | null
  result: unknown
  deliverable_url: string | null
  artifacts: Artifact[] | null
  evidence: unknown
  notes: string | null
  hints: { url?: string; expectText?: string } | null
  report: Report | null
  tries: number
  verify_again_at: Date | null
  created_at: Date
  updated_at: Date
}

/** A delivery without its content. */
export type DeliverySummary = Pick<
  DeliveryRow, 'id' | 'escrow_id' | 'milestone_id' | 'attempt' | 'status' | 'deliverable_url' | 'report' | 'created_at' | 'updated_at'
>

export interface DisputeRow {
  id: string
  escrow_id: string
  opened_by: Side
  opener_id: string
  asks: Outcome
  seller_bps: number | null
  reason: string
  evidence: unknown
  answer: string | null
  answered_at: Date | null
  opened_at: Date
  ended_at: Date | null
  outcome: string | null
  /** Since when the parties have been reminded that an answer is due. */
  reminded_at: Date | null
}

/** How many disputes of an escrow one side has withdrawn. */
export const withdrawalsOf = (side: Side, disputes: readonly DisputeRow[]): number =>
  disputes.filter(each => each.opened_by === side && each.outcome === 'WITHDRAWN').length

/** What is not spent yet. */
export const heldOf = (escrow: Pick<EscrowRow, 'amount' | 'released' | 'refunded'>): bigint =>
  escrow.amount - escrow.released - escrow.refunded
export const LIVE: readonly EscrowStatus[] = ['HELD', 'DISPUTED', 'FROZEN']
export const isLive = (escrow: Pick<EscrowRow, 'status'>): boolean => LIVE.includes(escrow.status)
