/** One line of the statement of the balance at the processor. */
export interface Movement {
  /** Id of the balance transaction. */
  id: string
  kind:
    | 'charge'
    | 'refund'
    | 'transfer'
    | 'transfer_reversal'
    | 'payout'
    | 'dispute'
    | 'dispute_reversal'
    | 'fee'
    | 'other'
  /** Id of what caused it at the processor (`pi_`, `re_`, `tr_`, `dp_` ...). */
  sourceId: string | null
  /** Our id in its metadata, if any. */
  ourId: string | null
  /** Signed, before the fee. */
  cents: number
  feeCents: number
  /** As ISO 4217 writes it, such as USD. */
  currency: string
  at: Date
}
