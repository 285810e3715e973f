import { PAGE, STEP_UP } from './shared.ts'

/** Descriptions of negotiation, escrow and wallet operations, by operationId. */
export const DEALS: Readonly<Record<string, string>> = {
  startNegotiation:
    'The seller marks the funded deal as in progress. After that the buyer cannot cancel it. 409 before it is funded. Next: `POST /ap2/deliver`.',
  getNegotiation:
    'For the parties of the deal. `allowedActions` lists what the caller can do now, and `timeline` what happened, also to payments that were not made. While one of the agents takes no deals, `unavailableAgent` says so, and the deal can be neither accepted nor paid. An unknown id is 400 `Negotiation not found`.',
  listNegotiations: `Negotiations in which the caller is buyer or seller, the newest first. ${PAGE}`,
  initiateAp2Payment:
    'Funds an accepted negotiation (`negotiationId`), or pays from wallet to wallet through escrow. Insufficient funds are 400 `Insufficient balance`. ' +
    'With `rail: "card"` and a `paymentMethodId` the card is charged at once; without one the response has a hosted page (`checkout`). ' +
    'The escrow is PENDING_FUNDING until the processor confirms the payment, for at most one hour, and CANCELLED if the payment fails. ' +
    'Until then the same negotiation can be funded by another rail: the payment that is awaited ends, unless it is under way (409). ' +
    "A declined card is 400 `Card declined`, and the negotiation can be funded again. A payment that arrives too late is credited to the buyer's wallet. " +
    'Next for the seller: `POST /ap2/start`.',
  completeAp2Payment:
    'Queries the processor for an escrow that is PENDING_FUNDING and books what it answers. The status in the request decides nothing. Funding from a wallet settles at once.',
  createAgentCheckout:
    'Makes a deal at `amount` (by default the listed price of the agent) and returns a hosted page on which the buyer pays it by card. ' +
    'The escrow is PENDING_FUNDING for at most one hour, and HELD when the page is paid. 400 `Agent not published` if the agent cannot be hired. ' +
    'The seller need not accept; it starts or delivers, or refunds. Next: send the buyer to `url`.',
  createCardPayment:
    'Makes a deal at `amount` and charges the card at once; the money is held in escrow. A declined card is 400 `Card declined`: nothing was charged. ' +
    '500 `Payment processing failed` means that the outcome is unknown: the same request with the same Idempotency-Key continues the same payment, and the service polls the processor. ' +
    '`processing` means that the charge is made and not booked yet.',
  confirmCardRelease:
    'Checks in the books that an escrow that was paid by card has paid its seller, and returns what was released. It moves no money: the buyer releases with `POST /payments/ap2/release`, ' +
    'and the money leaves the processor with the payout of the seller. `transferId` must be the transfer of a payout of the seller: an unknown one is 404, another one 409. 409 while nothing is released. For the parties of the deal and admins.',
  refundEscrow:
    'The seller returns everything that is still held to the buyer\'s wallet, or with `to: "card"` to the card that paid (`refund` in the response). No fee is charged on it. ' +
    "A refund that the card does not take credits the buyer's wallet, and the buyer is notified. The reconciliation of the escrow shows the state. 409 unless the escrow is HELD, or if it was not paid by card.",
  reconcileEscrow:
    'Compares the escrow with its ledger entries: amounts, postings with their hashes, and the checks. `ok` is true if every check holds. Ledger accounts: 2010 wallet, 2020 escrow, 4010 fee.',
  getEscrow:
    'Amounts, state, deliveries, dispute and timeline of an escrow, for the parties of the deal and admins. `allowedActions` lists what the caller can do now.',
  listEscrows: `Escrows in which the caller is buyer or seller, the newest first. ${PAGE}`,
  listEscrowEvents: `The timeline of the escrow, its deliveries and disputes, the oldest first. ${PAGE}`,
  getDelivery:
    'With result, artifacts and the report of the verifier, for the parties of the deal and admins.',
  getDeliveryScreenshot:
    'PNG of the delivered page as the verifier saw it. 404 for a delivery without a page.',
  answerDispute:
    'The other party states its view within 5 days; then an admin decides. 409 if the dispute is answered or has ended.',
  unfreezeEscrow: `Lifts one reason of a freeze, or all of them; the escrow continues in the state that it had before. ${STEP_UP}`,
  getWallet:
    'Amounts are strings in the currency of the wallet. `available` can be spent, `reserved` is in escrows and payouts, `withdrawable` excludes test credit.',
  listWalletTransactions: `Statement of the wallet, the newest first; \`balanceAfter\` is the balance after the transaction. ${PAGE}`,
  getWalletTotals:
    'What went in and out of the wallets, by kind of transaction: in `periods` of all wallets by period, in `wallets` of each wallet over the whole time. Periods without a transaction are left out. What went back to the card of a deal is in no wallet: `cardRefunds` has its sums, for the net of what was spent. 403 for another account.',
  listMyAgentsWallets: `Wallets of the agents that the caller created or owns. ${PAGE}`,
  getAgentWallet: 'The default wallet as a record, and all wallets of the agent in `wallets`.',
  getUserWallet:
    'The default wallet as a record, and all wallets of the account in `wallets`. Only your own account, or any for an admin.',
  getOrganizationWallet:
    'The default wallet as a record, and all wallets of the organization in `wallets`. For members.',
  getUserWalletDetail:
    'The wallets of the account (`wallets`) and of its agents (`agentWallets`), with the latest transactions.',
  createWallet:
    'Creates another wallet for you, one of your agents or an organization. The empty body creates a USD wallet that the service manages. PROVIDED requires a `cryptoAddress`.',
  issueTestCredit: 'Adds test credit, which can be spent but never paid out. 403 in production mode.',
  listUnclaimed: `Balances of wallets whose account was deleted, the oldest first. ${PAGE}`,
  listSuspense: `Payments of the card processor that match no payment of the service, the newest first. ${PAGE}`,
}
