/** A kind of identifier: what an operation's path, query or body names. */
export type Kind = string

/** The kind of a path parameter, by a beginning of `METHOD path`'s path; the first that fits. */
const OF_PATHS: readonly [pattern: RegExp, kinds: Record<string, Kind>][] = [
  [/^\/admin\/ledger\/accounts\//, { account: 'ledgerAccount' }],
  [/^\/admin\/ledger\/journals\//, { id: 'journal' }],
  [/^\/admin\/users\//, { id: 'user' }],
  [/^\/admin\/approvals\//, { id: 'approval' }],
  [/^\/admin\/providers\//, { provider: 'provider' }],
  [/^\/admin\/unclaimed\//, { walletId: 'wallet' }],
  [/^\/admin\/reconciliation\//, { id: 'reconciliation' }],
  [/^\/admin\/agents\//, { id: 'agent' }],
  [/^\/admin\/suspense\//, { id: 'suspense' }],
  [/^\/admin\/chargebacks\//, { id: 'chargeback' }],
  [/^\/admin\/x402\/transfers\//, { id: 'x402Transfer' }],
  [/^\/auth\/sessions\//, { id: 'session' }],
  [/^\/api\/v1\/service-accounts\//, { id: 'serviceAccount' }],
  [/^\/organizations\//, { slug: 'organization', userId: 'user' }],
  [/^\/wallets\/(?:agent|user|org)\//, { agentId: 'agent', userId: 'user', slug: 'organization' }],
  [/^\/wallets\//, { id: 'wallet' }],
  [/^\/wallet-vouchers\//, { id: 'voucher' }],
  [/^\/agents\/claim\//, { token: 'claimToken' }],
  [/^\/agents\/my-runs\//, { id: 'run' }],
  [
    /^\/agents\//,
    {
      id: 'agent',
      agentId: 'agent',
      slug: 'agentSlug',
      runId: 'run',
      reviewId: 'review',
      deliveryId: 'webhookDelivery',
    },
  ],
  [/^\/(?:a2a|conduit)\/agents\//, { agentId: 'agent' }],
  [/^\/trust\//, { agentId: 'agent' }],
  [/^\/v1\/svcscore\//, { agentId: 'agent' }],
  [/^\/vault\//, { id: 'artifact' }],
  [/^\/payments\/x402\//, { id: 'x402Payment' }],
  [/^\/payments\/card\//, { id: 'cardPayment' }],
  [/^\/payments\/(?:ap2\/escrows|escrow)\//, { id: 'escrow', deliveryId: 'delivery' }],
  [/^\/payouts\/org\//, { slug: 'organization' }],
  [/^\/payouts\/(?:account-status|history)\//, { agentId: 'agent' }],
  [/^\/payouts\//, { id: 'payout' }],
  [/^\/ap2\/negotiations\//, { id: 'negotiation' }],
  [/^\/affiliates\/r\//, { code: 'affiliateCode' }],
  [/^\/affiliates\/admin\/commissions\//, { id: 'commission' }],
  [/^\/affiliates\/admin\//, { id: 'affiliate' }],
  [/^\/v1\/generations\//, { id: 'generation' }],
  [/^\/v1\/models\//, { id: 'model' }],
  [/^\/v1\/auth\/keys\//, { id: 'routingKey' }],
  [/^\/market\/needs\//, { id: 'need' }],
  [/^\/market\/offers\//, { id: 'offer' }],
  [/^\/certification-runs\//, { runId: 'certificationRun' }],
  [/^\/certification-pages\//, { token: 'certificationPage' }],
  [/^\/unsubscribe\//, { token: 'unsubscribeToken' }],
  [/^\/sandbox\/processor\/disputes\//, { id: 'dispute' }],
  [/^\/sandbox\/providers\//, { provider: 'provider' }],
  [/^\/sandbox\/checkout\//, { id: 'checkout' }],
  [/^\/sandbox\/onboarding\//, { id: 'onboarding' }],
]

/** The kind of a path parameter; an operation without one fails the check of the fuzzer. */
export function kindOfPath(path: string, name: string): Kind | undefined {
  return OF_PATHS.find(([pattern, kinds]) => pattern.test(path) && name in kinds)?.[1][name]
}

const AGENT =
  /^(?:agentId|agent_id|primaryAgentId|(?:responder|requester|initiator|referrer|counterparty)AgentId|source|target|(?:allowed|blocked)Counterparties)$/
const WALLET = /^(?:walletId|(?:to|from|source|destination|target|buyer|seller)WalletId)$/
const USER = /^(?:userId|accountId|actorId|buyerId|creatorId|claimedById|ownerId|targetId|ids)$/
const OF_FIELDS: Record<string, Kind> = {
  negotiationId: 'negotiation',
  dealId: 'negotiation',
  escrowId: 'escrow',
  organizationSlug: 'organization',
  organizationId: 'organizationId',
  responderSlug: 'agentSlug',
  toUsername: 'username',
  username: 'username',
  generationId: 'generation',
  requestId: 'collaboration',
  vaultId: 'artifact',
  paymentIntentId: 'paymentIntent',
  checkoutSessionId: 'checkout',
  transactionId: 'x402Payment',
  journalId: 'journal',
  affiliateId: 'affiliate',
  affiliateToken: 'affiliateCode',
  needId: 'need',
  model: 'model',
  defaultModel: 'model',
  baselineModel: 'model',
  allowedModels: 'model',
  refreshToken: 'refreshToken',
  mfaToken: 'mfaToken',
  disputeId: 'dispute',
  approvalId: 'approval',
  email: 'email',
  manualEntryKey: 'totpSecret',
  accessToken: 'accessToken',
  apiKey: 'apiKey',
  api_key: 'apiKey',
  key: 'apiKey',
}

/** The kind of a field of a body, a query or a reply, by its name. */
export function kindOfField(name: string): Kind | undefined {
  if (AGENT.test(name)) return 'agent'
  if (WALLET.test(name)) return 'wallet'
  if (USER.test(name)) return 'user'
  return OF_FIELDS[name]
}

/** The kind of fields whose name says too little, by operation and path of the field. */
const BY_OPERATION: Record<string, Kind> = {
  'POST /auth/verify-email token': 'verifyToken',
  'POST /auth/reset-password token': 'resetToken',
  'POST /auth/magic-link/consume token': 'loginToken',
  'POST /wallet-vouchers/redeem code': 'voucherCode',
  'GET /affiliates/resolve code': 'affiliateCode',
  'GET /agents/ap2-status slug': 'agentSlug',
  'POST /payments/create-agent-checkout slug': 'agentSlug',
  'GET /admin/escrows id': 'escrow',
  'GET /admin/ledger/accounts account': 'ledgerAccount',
  'POST /auth/register username': 'newUsername',
  'POST /auth/register-agent username': 'newUsername',
  'POST /agents/register username': 'newUsername',
  'POST /api/v1/service-accounts/agents/self-register username': 'newUsername',
}

export const kindOfInput = (operation: string, field: string): Kind | undefined =>
  BY_OPERATION[`${operation} ${field}`] ?? kindOfField(field)

/** The kind of `id`, `slug` and `code` in a reply, by the name of the component that they are in. */
const OF_COMPONENTS: readonly [pattern: RegExp, kinds: Record<string, Kind>][] = [
  [
    /^(?:Agent|AgentWithKey|A2AParty|NegotiationParty|NetworkNode|ListedAgentRegistered|Svcscore)$/,
    { id: 'agent', slug: 'agentSlug' },
  ],
  [/^(?:Wallet|WalletDetail|OwnerWallets)$/, { id: 'wallet' }],
  [/^(?:Account|AccountDetails|User|SetUserRoleResponse|OwnAccount)$/, { id: 'user' }],
  [/^Organization(?:Invitation)?$/, { id: 'organizationId', slug: 'organization' }],
  [/^Negotiation$/, { id: 'negotiation' }],
  [/^(?:Escrow|EscrowSummary|AdminEscrow)$/, { id: 'escrow' }],
  [/^(?:Execution|WaitingRun)$/, { id: 'run' }],
  [/^Need$/, { id: 'need' }],
  [/^Offer$/, { id: 'offer' }],
  [/^Review$/, { id: 'review' }],
  [/^CertificationRun$/, { id: 'certificationRun' }],
  [/^(?:Admin)?Payout$/, { id: 'payout' }],
  [/^CardPaymentRecord$/, { id: 'cardPayment' }],
  [/^Session$/, { id: 'session' }],
  [/^(?:Delivery|DeliverySummary)$/, { id: 'delivery' }],
  [/^AgentWebhookDelivery$/, { id: 'webhookDelivery' }],
  [/^(?:Listed)?VaultArtifact$/, { id: 'artifact' }],
  [/^CollaborationRequest$/, { id: 'collaboration' }],
  [/^Approval$/, { id: 'approval' }],
  [/^Chargeback$/, { id: 'chargeback' }],
  [/^SuspendedPayment$/, { id: 'suspense' }],
  [/^SuspendedTransfer$/, { id: 'x402Transfer' }],
  [/^ReconciliationReport$/, { id: 'reconciliation' }],
  [/^LedgerJournal$/, { id: 'journal' }],
  [/^LedgerAccount$/, { account: 'ledgerAccount' }],
  [/^Affiliate(?:ForAdmin)?$/, { id: 'affiliate', code: 'affiliateCode' }],
  [/^AffiliateCommission$/, { id: 'commission' }],
  [/^(?:Generation|RoutedRequest|RoutingLogEntry|ChatCompletion)$/, { id: 'generation' }],
  [/^RoutingKey/, { id: 'routingKey' }],
  [/^(?:RotateServiceAccountResponse|ServiceAccount)/, { id: 'serviceAccount' }],
  [/^Voucher/, { id: 'voucher', code: 'voucherCode' }],
  [/^SandboxDispute$/, { id: 'dispute' }],
  [/^(?:Virtual)?Model$/, { id: 'model' }],
]

/** The kind of a field of a reply. */
export const kindOfReply = (component: string | undefined, field: string): Kind | undefined =>
  OF_COMPONENTS.find(
    ([pattern, kinds]) => component !== undefined && pattern.test(component) && field in kinds,
  )?.[1][field] ?? kindOfField(field)

/** Tokens in links of mails and replies: `/claim/abc`. */
export const LINK =
  /\/(claim|reset|verify|login|unsubscribe|certification-pages|sandbox\/checkout|sandbox\/onboarding)\/([\w-]{12,})/g
const OF_LINKS: Record<string, Kind> = {
  'certification-pages': 'certificationPage',
  'sandbox/checkout': 'checkout',
  'sandbox/onboarding': 'onboarding',
}
export const kindOfLink = (word: string): Kind => OF_LINKS[word] ?? `${word}Token`
