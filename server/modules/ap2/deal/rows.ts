import type { VerificationReport } from '#platform/adapters/browser/verifier'
import type { Asset } from '#platform/kernel/money'
import type { Criterion } from '../criteria/criterion.ts'
import type { CriterionResult } from '../criteria/result.ts'
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
  buyerAccountId: string
  buyerAgentId: string | null
  /** Whose side it is then: those who run the organization speak, not the account. */
  buyerOrganizationId: string | null
  sellerAccountId: string
  sellerAgentId: string | null
  sellerOrganizationId: string | null
  selfDeal: boolean
  /** The deal of a run, which alone pays or refunds it. */
  isRun: boolean
  requestedService: string
  currency: Asset
  budget: bigint
  price: bigint
  offeredBy: Side
  round: number
  /** As given, without `acceptance`. */
  requirements: unknown
  acceptanceSchema: object | null
  acceptance: Criterion[] | null
  notes: string | null
  milestones: Milestone[] | null
  deliverBy: Date | null
  autoReleaseDays: number
  referrerAgentId: string | null
  silenceSeconds: number
  expiresAt: Date | null
  fundBy: Date | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface RoundRow {
  negotiationId: string
  round: number
  action: 'PROPOSED' | 'COUNTERED' | 'ACCEPTED' | 'REJECTED'
  side: Side
  price: bigint
  terms: string | null
  notes: string | null
  estimatedDelivery: string | null
  at: Date
}

export type Rail = 'wallet' | 'card' | 'x402'

export interface EscrowRow {
  id: string
  negotiationId: string
  status: EscrowStatus
  buyerWalletId: string
  /** Whose key paid; null where a person did. */
  serviceAccountId: string | null
  sellerWalletId: string
  currency: Asset
  test: boolean
  amount: bigint
  released: bigint
  refunded: bigint
  fees: bigint
  feeBps: number
  releases: number
  refunds: number
  unverified: boolean
  changesRequested: number
  deliverBy: Date
  /** How it is funded; a wallet confirms at once. */
  rail: Rail
  /** While PENDING_FUNDING: until when the funds must be confirmed. */
  fundBy: Date | null
  /** The request that reserved it; null for one that a wallet funded. */
  requestId: string | null
  /** Of the agreed terms, from the hold on. */
  termsSha256: string | null
  originalStatus: EscrowStatus | null
  freezes: string[]
  frozenAt: Date | null
  disputedAt: Date | null
  answerBy: Date | null
  lapsesAt: Date | null
  purpose: string | null
  memo: string | null
  metadata: unknown
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface MilestoneRow {
  id: string
  escrowId: string
  place: number
  key: string
  title: string
  amount: bigint
  released: bigint
  deliveryStatus: 'NONE' | 'VERIFYING' | 'VERIFIED' | 'FAILED' | 'SUPERSEDED'
  verifiedAt: Date | null
  autoReleaseAt: Date | null
}

/** Report of the verifier, stored with the delivery. `code` is `ok` for a verified one. */
export type Report = Partial<
  Omit<VerificationReport, 'code' | 'reason' | 'verifier' | 'screenshot' | 'checkedAt'>
> & {
  ok: boolean
  code: string
  reason: string
  verifier: string
  checkedAt: string
  artifacts?: ArtifactReport[]
}

/** What the verifier saw at the URL of an artifact. */
export type ArtifactReport = { name: string } & Pick<
  VerificationReport,
  | 'url'
  | 'ok'
  | 'code'
  | 'reason'
  | 'kind'
  | 'verifier'
  | 'status'
  | 'finalUrl'
  | 'contentType'
  | 'bytes'
  | 'sha256'
>

/** A thing delivered; what the seller says of it is checked where it has a `url`. */
export interface Artifact {
  name: string
  url?: string
  /** An artifact of the vault: what is said of it is what the service stored. */
  vaultId?: string
  sha256?: string
  mimeType?: string
  bytes?: number
}

export interface DeliveryRow {
  id: string
  negotiationId: string
  escrowId: string
  milestoneId: string
  attempt: number
  status: DeliveryStatus
  actorId: string | null
  result: unknown
  deliverableUrl: string | null
  artifacts: Artifact[] | null
  evidence: unknown
  notes: string | null
  hints: { url?: string; expectText?: string } | null
  report: Report | null
  /** The result of each agreed criterion; null if there is none. */
  criteria: CriterionResult[] | null
  /** Since when the checkers of the buyer are asked. */
  checkingSince: Date | null
  tries: number
  verifyAgainAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** A delivery without its content. */
export type DeliverySummary = Pick<
  DeliveryRow,
  | 'id'
  | 'escrowId'
  | 'milestoneId'
  | 'attempt'
  | 'status'
  | 'deliverableUrl'
  | 'report'
  | 'criteria'
  | 'createdAt'
  | 'updatedAt'
> & { hasScreenshot: boolean }

export interface DisputeRow {
  id: string
  escrowId: string
  openedBy: Side
  openerId: string
  asks: Outcome
  sellerBps: number | null
  reason: string
  evidence: unknown
  answer: string | null
  answeredAt: Date | null
  openedAt: Date
  endedAt: Date | null
  outcome: string | null
  /** Since when the parties have been reminded that an answer is due. */
  remindedAt: Date | null
  /** Keys of the criteria that it is about. */
  criteria: string[] | null
}

/** How many disputes of an escrow one side has withdrawn. */
export const withdrawalsOf = (side: Side, disputes: readonly DisputeRow[]): number =>
  disputes.filter(each => each.openedBy === side && each.outcome === 'WITHDRAWN').length

/** False where nothing was paid in: it waits for its funds, or they never came. */
export const wasHeld = ({ status }: Pick<EscrowRow, 'status'>): boolean =>
  status !== 'PENDING_FUNDING' && status !== 'CANCELLED'

/** What was paid in and is not spent yet. */
export const heldOf = (escrow: Pick<EscrowRow, 'amount' | 'released' | 'refunded' | 'status'>): bigint =>
  wasHeld(escrow) ? escrow.amount - escrow.released - escrow.refunded : 0n
export const LIVE: readonly EscrowStatus[] = ['HELD', 'DISPUTED', 'FROZEN']
export const isLive = (escrow: Pick<EscrowRow, 'status'>): boolean => LIVE.includes(escrow.status)
