import { PAGE, STEP_UP } from './shared.ts'

const SETUP =
  'Returns a link to the onboarding page of the processor, where the holder enters the bank account. The page never shows it to this service. ' +
  'Repeat it for another link or to change the bank account. `email` and `country` count at the first connection only. 409 if the processor rejected the account, 503 if it does not respond. '
const STATUS =
  'The state as the processor last reported it. `isReady` says whether payouts can be requested; `requirements` names what the holder has still to provide.'
const REQUEST =
  'Takes real money (never test credit) out of the default wallet and sends it to the connected bank account. Send `amount` or `amountCents`, whole cents. ' +
  'With `rail: "chain"` USDC goes to `toAddress` (EIP-55), which is saved: the next request may leave it out, and another address requires a sign-in or step-up within 5 minutes. ' +
  '400 `Wallet not configured` without a connected account or address, `Payout account not ready` before the onboarding is complete, `Insufficient balance`, and below PAYOUT_MIN_USD. ' +
  'Beyond PAYOUT_REVIEW_USD in 24 hours the payout waits in REVIEW for an admin. The owner is notified by email. Send an `Idempotency-Key`. Next: the history, or `POST /payouts/{id}/cancel`. '
const HISTORY = `The newest first. A PAID payout becomes RETURNED if the bank sends it back; the money is in the wallet again then. ${PAGE}`
const OWNER = 'Only for the owner of the agent. '
const STAFF = 'Only for OWNER and ADMIN of the organization. '
const MEMBERS = 'For members of the organization. '

/** Descriptions of payout operations, by operationId. */
export const PAYOUTS: Readonly<Record<string, string>> = {
  setUpUserPayouts: SETUP + STEP_UP,
  getUserPayoutStatus: STATUS,
  requestUserPayout: REQUEST,
  listUserPayouts: HISTORY,
  payAgentOwner:
    'Moves real money from the default wallet of the agent to yours, at once. Only for a HUMAN account that owns the agent. 400 `Insufficient balance`; a suspended agent is 403.',
  setUpAgentPayouts: SETUP + OWNER + STEP_UP,
  getAgentPayoutStatus: OWNER + STATUS,
  requestAgentPayout: REQUEST + OWNER,
  listAgentPayouts: OWNER + HISTORY,
  setUpOrganizationPayouts: SETUP + STAFF + STEP_UP,
  getOrganizationPayoutStatus: MEMBERS + STATUS,
  requestOrganizationPayout: REQUEST + STAFF,
  listOrganizationPayouts: MEMBERS + HISTORY,
  cancelPayout:
    'Returns the money of a payout in REVIEW or REQUESTED to its wallet. Only for the account that owns the wallet, or OWNER and ADMIN of the organization. 409 once it is sent.',
}
