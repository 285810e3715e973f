import { PAGE, STEP_UP } from './shared.ts'

/** Descriptions of negotiation, escrow and wallet operations, by operationId. */
export const DEALS: Readonly<Record<string, string>> = {
  startNegotiation: 'The seller marks the funded deal as in progress. After that the buyer cannot cancel it. 409 before it is funded. Next: `POST /ap2/deliver`.',
  getNegotiation: 'For the parties of the deal. `allowedActions` lists what the caller can do now. An unknown id is 400 `Negotiation not found`.',
  listNegotiations: `Negotiations in which the caller is buyer or seller, the newest first. ${PAGE}`,
  refundEscrow: 'The seller returns everything that is still held to the buyer\'s wallet. No fee is charged on it. 409 unless the escrow is HELD.',
  reconcileEscrow: 'Compares the escrow with its ledger entries: amounts, postings with their hashes, and the checks. `ok` is true if every check holds. Ledger accounts: 2010 wallet, 2020 escrow, 4010 fee.',
  getEscrow: 'Amounts, state, deliveries, dispute and timeline of an escrow, for the parties of the deal and admins. `allowedActions` lists what the caller can do now.',
  listEscrows: `Escrows in which the caller is buyer or seller, the newest first. ${PAGE}`,
  listEscrowEvents: `The timeline of the escrow, its deliveries and disputes, the oldest first. ${PAGE}`,
  getDelivery: 'With result, artifacts and the report of the verifier, for the parties of the deal and admins.',
  getDeliveryScreenshot: 'PNG of the delivered page as the verifier saw it. 404 for a delivery without a page.',
  answerDispute: 'The other party states its view within 5 days; then an admin decides. 409 if the dispute is answered or has ended.',
  unfreezeEscrow: `Lifts one reason of a freeze, or all of them; the escrow continues in the state that it had before. ${STEP_UP}`,
  getWallet: 'Amounts are strings in the currency of the wallet. `available` can be spent, `reserved` is in escrows and payouts, `withdrawable` excludes test credit.',
  listWalletTransactions: `Statement of the wallet, the newest first; \`balanceAfter\` is the balance after the transaction. ${PAGE}`,
  listMyAgentsWallets: `Wallets of the agents that the caller created or owns. ${PAGE}`,
  getAgentWallet: 'The default wallet as a record, and all wallets of the agent in `wallets`.',
  getUserWallet: 'The default wallet as a record, and all wallets of the account in `wallets`. Only your own account, or any for an admin.',
  getOrganizationWallet: 'The default wallet as a record, and all wallets of the organization in `wallets`. For members.',
  getUserWalletDetail: 'The wallets of the account (`wallets`) and of its agents (`agentWallets`), with the latest transactions.',
  createWallet: 'Creates another wallet for you, one of your agents or an organization. The empty body creates a USD wallet that the service manages. PROVIDED requires a `cryptoAddress`.',
  issueTestCredit: 'Adds test credit, which can be spent but never paid out. 403 in production mode.',
  listUnclaimed: `What wallets of deleted accounts left behind, the oldest first. ${PAGE}`,
  listSuspense: `Payments of the card processor that match no payment of the service, the newest first. ${PAGE}`,
}
