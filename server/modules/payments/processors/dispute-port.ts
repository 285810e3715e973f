/** Chargebacks: the bank of a card holder took the money of a payment back. */
export interface Disputes {
  /** Null for an unknown dispute, and for an inquiry, which has moved no money. */
  read(disputeId: string): Promise<Dispute | null>
  /** Hands in evidence, at most once: a second time is ApiError 409. `files` are ids of files at the processor. */
  submitEvidence(disputeId: string, evidence: { text: string; files?: string[] }): Promise<void>
}

export interface Dispute {
  disputeId: string
  /** The payment that it is about (`pi_...`). */
  processorId: string
  cents: number
  currency: string
  /** What the processor charges for the dispute itself. */
  feeCents: number
  reason: string
  state: 'needs_response' | 'under_review' | 'won' | 'lost'
  respondBy: Date | null
}
