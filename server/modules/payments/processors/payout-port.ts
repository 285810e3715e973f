/** Accounts at the processor that payouts of one owner go to. */
export interface ConnectedAccounts {
  /** Creates an account; `id` is ours and the idempotency key, and `metadata.ownerId` there. */
  create(order: {
    id: string
    installation: string
    email: string | null
    country: string | null
  }): Promise<{ accountId: string }>
  /** A link to the hosted onboarding; short-lived, made anew for each request. */
  onboardingLink(accountId: string, urls: { returnUrl: string; refreshUrl: string }): Promise<{ url: string }>
  /** ApiError 404 for an unknown account. */
  read(accountId: string): Promise<ConnectedAccount>
}

export interface ConnectedAccount {
  accountId: string
  isDetailsSubmitted: boolean
  isPayoutsEnabled: boolean
  /** What the holder has still to provide, in the processor's words, such as `external_account`. */
  requirements: string[]
  /** Why it is restricted or rejected; null if neither. Starts with `rejected` for a rejected one. */
  disabledReason: string | null
  /** What the processor calls the bank accounts themselves: the same for each connected account that pays to one. */
  bankFingerprints: string[]
}

export interface PayoutOrder {
  /** Our payout's id: the idempotency key, and `metadata.payoutId`. */
  id: string
  installation: string
  accountId: string
  cents: number
  description: string
}

export interface Payouts {
  /** Sends money to the bank of a connected account: a transfer to it and a payout from it, as one order. */
  send(order: PayoutOrder): Promise<PayoutReport>
  /** What became of an order; null if it is unknown there. */
  read(id: string, accountId: string): Promise<PayoutReport | null>
  /** Takes back the transfer of a payout that failed or returned, so that the money is on the platform balance again. */
  reverse(id: string, accountId: string): Promise<void>
  /** Cancels a payout while it is pending; later it reports the state as it is. */
  cancel(id: string, accountId: string): Promise<PayoutReport>
}

export interface PayoutReport {
  transferId: string
  /** Null if there is a transfer and no payout yet: `send` again. */
  payoutId: string | null
  /** `failed` may follow `paid`: the bank returned the money. */
  state: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled'
  failure: { code: string; message: string } | null
}
