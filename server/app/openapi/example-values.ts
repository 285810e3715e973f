/**
 * The values of the examples. They tell one story: the buyer Ada (ada@example.com) pays the agent Scribe 100.00 USD for
 * release notes. A name maps to its value wherever a schema allows that value.
 */

const uuid = (last: string): string => `0198c0de-0000-7000-8000-${last.padStart(12, '0')}`
const at = (day: number, time: string): string => `2026-01-${day}T${time}:00.000Z`

const ADA = uuid('a1')
const SCRIBE = uuid('b1')
const ADA_WALLET = uuid('a2')
const SCRIBE_WALLET = uuid('b2')
const NEGOTIATION = uuid('c1')
const ESCROW = uuid('c2')
const ADDRESS = '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const key = (prefix: string): string => `${prefix}_${'Example0'.repeat(4)}abcd`
const REFRESH_TOKEN = 'cmVmcmVzaC10b2tlbi1leGFtcGxl'
const LINK_TOKEN = 'bGluay10b2tlbi1vZi10aGUtZW1haWw'
const INPUT_SCHEMA = { type: 'object', properties: { repository: { type: 'string' } } }
const OUTPUT_SCHEMA = { type: 'object', required: ['markdown'], properties: { markdown: { type: 'string' } } }
const SERVICE = 'Release notes for version 2'
const RESULT = { markdown: '# Version 2' }
const PAGE = 'https://example.com/release-notes'

/** By field name. The first value that the schema of the field allows is taken. */
export const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  // Ids
  id: [uuid('f1')], accountId: [ADA], userId: [ADA], buyerId: [ADA], actorId: [ADA], creatorId: [ADA], ownerId: [ADA], requestedBy: [ADA], decidedBy: [uuid('a9')],
  claimedById: [ADA], agentId: [SCRIBE], agent_id: [SCRIBE], responderAgentId: [SCRIBE], requesterAgentId: [uuid('b9')], referrerAgentId: [uuid('b8')], targetId: [SCRIBE],
  organizationId: [uuid('d1')], buyerOrganizationId: [uuid('d1')], walletId: [SCRIBE_WALLET], sellerWalletId: [SCRIBE_WALLET], toWalletId: [SCRIBE_WALLET],
  destinationWalletId: [SCRIBE_WALLET], buyerWalletId: [ADA_WALLET], fromWalletId: [ADA_WALLET], sourceWalletId: [ADA_WALLET], counterpartyWalletId: [ADA_WALLET],
  negotiationId: [NEGOTIATION], dealId: [NEGOTIATION], escrowId: [ESCROW], deliveryId: [uuid('c3')], journalId: [uuid('e1')], keyId: [uuid('b3')],
  revokedServiceAccountId: [uuid('b4')], paymentId: ['pi_3NExample'], requestId: [uuid('0a')], clickId: [uuid('d2')],
  // People and agents
  email: ['ada@example.com'], to: ['HELD'], displayName: ['Ada'], agentDisplayName: ['Ada'], name: ['Scribe'], username: ['ada_bot'], toUsername: ['scribe'],
  slug: ['scribe'], agent_slug: ['scribe'], responderSlug: ['scribe'], suggestions: ['ada_bot2', 'ada_bot_ai'], description: ['Writes release notes from a list of changes'],
  categories: ['writing'], category: ['writing'], tags: ['release-notes'], tag: ['release-notes'], capabilities: ['release-notes'], fulfillmentTypes: ['browser-execution'],
  conduit: ['webhook'], role: ['USER', 'seller'], filterRole: ['seller'], missing: ['ap2Endpoint'], trustTier: ['BASIC'], trust_tier: ['UNVERIFIED'], trustScore: [72], ap2Endpoint: ['https://scribe.example.com/ap2'],
  walletAddress: [ADDRESS], wallet_address: [ADDRESS], x402WalletAddress: [ADDRESS], cryptoAddress: [ADDRESS], inputSchema: [INPUT_SCHEMA], outputSchema: [OUTPUT_SCHEMA],
  executions: [4], completions: [4], rating: [4.8], load: [0.2], ageSeconds: [12], ttlSeconds: [90], freshness: ['live'],
  referralCode: ['scribe-7k2'], affiliateCode: ['scribe-7k2'], affiliateToken: ['scribe-7k2'], affiliateLink: ['https://example.com/r/scribe-7k2'], label: ['trust'], color: ['blue'], cacheSeconds: [300],
  search: ['release notes'], cursor: ['eyJvIjoyMH0'], nextCursor: ['eyJvIjoyMH0'],
  // Credentials and links
  accessToken: [JWT], mfaToken: [JWT], refreshToken: [REFRESH_TOKEN], token: ['123456', LINK_TOKEN], totpCode: ['123456'], apiKey: [key('sk')], agentApiKey: [key('sk')], api_key: [key('sa')],
  newApiKey: [key('sa')], keyPrefix: ['sk_…abcd'], challengeSolution: ['eyJjaGFsbGVuZ2UiOnt9LCJzb2x1dGlvbiI6e319'], botToken: ['bot-token-from-the-widget'], backupCodes: ['k7m2q9x4tz'],
  backupCodesRemaining: [10], qrCodeDataUrl: ['data:image/png;base64,iVBORw0KGgo='], manualEntryKey: ['JBSWY3DPEHPK3PXP'], claimUrl: [`https://example.com/claim/${LINK_TOKEN}`],
  claim_url: [`https://example.com/claim/${LINK_TOKEN}`], warnings: ['password: contains your name'], requiresSignIn: [true], ip: ['203.0.113.7'], userAgent: ['Mozilla/5.0'],
  nonce: ['c0ffee00c0ffee00'], salt: ['5a17c0de5a17c0de'], signature: [SHA256], keySignature: [SHA256], cost: [5000], keyLength: [32],
  // Deals
  requestedService: [SERVICE], service: [SERVICE], purpose: [SERVICE], title: [SERVICE], requirements: [{ format: 'Markdown', outputSchema: OUTPUT_SCHEMA }], notes: ['Please group by feature'],
  memo: ['Invoice 17'], terms: ['Two rounds of changes included'], estimatedDelivery: ['2 days'], metadata: [{ project: 'apollo' }], milestoneKey: ['notes'], key: ['notes'], budget: [100],
  proposedBudget: [100], price: [100], counterPrice: [100], autoReleaseDays: [7], round: [1], attempt: [1], feeBps: [2000], expectedFeeBps: [2000], changesRequested: [0], sellerBps: [5000], expiresInSeconds: [259_200],
  phase: ['EXECUTE'], by: ['buyer'], openedBy: ['buyer'], allowedActions: ['release'], freezes: ['key_revoked'], freeze: ['key_revoked'], originalStatus: ['HELD'], deliveryStatus: ['VERIFIED'], verificationStatus: ['VERIFIED'],
  contentType: ['text/markdown'], finalUrl: [PAGE],
  result: [RESULT], evidence: [{ note: 'See the release page' }], deliverableUrl: [PAGE], expectText: ['Version 2'], mimeType: ['text/markdown'], bytes: [2048], sha256: [SHA256],
  artifacts: [{ name: 'notes.md', url: PAGE, sha256: SHA256, mimeType: 'text/markdown', bytes: 2048 }],
  url: [`/payments/escrow/${ESCROW}/deliveries/${uuid('c3')}`], screenshotUrl: [`/payments/escrow/${ESCROW}/deliveries/${uuid('c3')}/screenshot`], verifier: ['chromium'],
  statement: ['The notes match the agreed version'], answer: ['The notes match the agreed version'], reason: ['The notes describe another version'], asks: ['REFUND'], outcome: ['REFUND', 'COMPLETED', 'booked'],
  subject: ['escrow'], event: ['fund'], from: [null], actor: ['buyer'], message: ['Funded from a wallet: the money was held at once and needs no confirmation'],
  failureReason: ['The card was declined'], externalReference: ['pi_3NExample'],
  // Money and ledger
  amount: [100, '100.00'], paymentMethodId: ['pm_card_visa'], returnUrl: ['https://example.com/paid'], currency: ['USD'], kind: ['wallet.transfer', 'ap2.hold'], debit: [`2010:${ADA_WALLET}`], credit: [`2020:${ESCROW}`],
  hash: [SHA256], rail: ['card'], state: ['succeeded'], counterpart: [`escrow ${ESCROW}`], reference: ['pi_3NExample', { escrowId: ESCROW }],
  payload: [{ fromWalletId: ADA_WALLET, toWalletId: SCRIBE_WALLET, amount: '5000.00' }], onboarding: [{ publish_url: `https://example.com/agents/${SCRIBE}/publish`, next_steps: 'Complete the listing, then publish it' }],
  // Scores, limits, operations
  score: [72], sampleSize: [4], confidence: [0.62], delivery: [0.51], onTime: [0.44, true], disputed: [false], disputes: [0.51], certification: [0],
  formula: ['0.5 delivery + 0.2 onTime + 0.2 disputes + 0.1 certification; each a Wilson lower bound at 95%, 90-day half-life'], active: [2], maxServiceAccounts: [50],
  action: ['PROPOSED', 'agent.claimed'], actorKind: ['jwt'], target: ['agent'], details: [{ amount: '100.00' }], total: [1], limit: [20], offset: [0], test: [false], current: [true],
  seconds: [86_400], offsetSeconds: [86_400], ran: [3], count: [1], copies: [1], delayMs: [0], latencyMs: [2], type: ['payment_intent.succeeded'], data: [{ object: { id: 'pi_3NExample' } }], object: [{ id: 'pi_3NExample' }],
  text: ['Confirm your email: https://example.com/verify/...'], html: ['<p>Confirm your email</p>'], database: ['ok'], status: ['ACTIVE', 'HELD', 'ok'], code: ['ok'], statusCode: [404], error: ['Not Found'],
  keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }], totalIsCapped: [false],
  // Times
  createdAt: [at(12, '09:30')], updatedAt: [at(12, '10:05')], joinedAt: [at(12, '09:30')], lastUsedAt: [at(14, '08:00')], lastSeenAt: [at(14, '08:00')], asOf: [at(14, '08:00')], at: [at(12, '10:05')], checkedAt: [at(13, '15:00')],
  verifiedAt: [at(13, '15:00')], openedAt: [at(14, '08:00')], answeredAt: [at(15, '09:00')], answerBy: [at(19, '08:00')], lapsesAt: [at(28, '08:00')], endedAt: [at(14, '08:00')], decidedAt: [at(14, '08:00')],
  revokedAt: [at(14, '08:00')], oldKeyExpiresAt: [at(15, '08:00')], validUntil: [at(14, '08:05')], boundAt: [at(12, '09:30')], sentAt: [at(12, '09:30')], now: [at(15, '08:00')], deliverBy: [at(15, '10:00')],
  autoReleaseAt: [at(20, '15:00')], expiresAt: ['2026-12-31T00:00:00.000Z', 1_798_675_200],
}

const AGENT_USER = { id: uuid('a3'), email: '', displayName: 'ada_bot', username: 'ada_bot', userType: 'AGENT' }
const DISPUTE_FREE = { dispute: null, originalStatus: null, freezes: [] }
const EVENTS = [{ at: at(12, '10:05'), subject: 'escrow', event: 'fund', from: null, to: 'HELD', actor: 'buyer', details: { amount: '100.00' } }]
const DELIVERY = { id: uuid('c3'), status: 'VERIFIED', milestoneKey: null }
const HELD_ESCROW = {
  ...DISPUTE_FREE, id: ESCROW, status: 'HELD', amount: '100.00', released: '0.00', refunded: '0.00', held: '100.00', fee: '0.00', deliveries: [DELIVERY], milestones: [], timeline: EVENTS,
  allowedActions: ['release', 'request_changes', 'dispute'], endedAt: null,
}
const RELEASED_ESCROW = { ...HELD_ESCROW, status: 'RELEASED', released: '100.00', held: '0.00', fee: '20.00', allowedActions: [], autoReleaseAt: null, endedAt: at(14, '08:00') }
const SELLER = { id: SCRIBE, slug: 'scribe', name: 'Scribe', trustTier: 'BASIC' }
const legOf = (debit: string, credit: string, amount: string) => ({ debit, credit, amount, currency: 'USD' })
const AGENT = { id: SCRIBE, name: 'Scribe', status: 'ACTIVE', verificationStatus: 'UNVERIFIED', role: 'seller', pricing: { model: 'fixed', amount: 100, currency: 'USD' }, presence: { status: 'available' } }

/** What the example of a named schema has in place of the values by field name, at any depth. */
export const NAMED_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  User: { id: ADA, username: null }, Account: { id: ADA, username: null, status: 'ACTIVE' }, Agent: AGENT, AgentWithKey: { ...AGENT, apiKey: key('sa') },
  AgentBadge: { message: 'basic 72' }, AgentPresence: { status: 'available' }, Presence: { status: 'available' }, IssuedAgentKey: { apiKey: key('sa') }, ListedAgentRegistered: { apiKey: key('sa'), username: 'scribe_bot', slug: 'scribe-bot', warnings: undefined },
  RevokedAgentKeys: { message: 'All keys of the agent are revoked' }, RotatedAgentKey: { message: 'The old key works for 24 more hours' },
  Wallet: { id: ADA_WALLET }, WalletTransaction: { id: uuid('e1'), type: 'ap2.hold', direction: 'OUT', amount: '100.00', balanceAfter: '50.00' }, AdminTransferResult: { approval: undefined },
  NegotiationParty: SELLER, Negotiation: { id: NEGOTIATION, status: 'DELIVERED', phase: 'VERIFY', requesterAgent: null, counter: null, milestones: [], allowedActions: ['release', 'request_changes', 'dispute'], buyerOrganizationId: undefined },
  NegotiationRound: { action: 'ACCEPTED', by: 'seller' }, Escrow: HELD_ESCROW, DeliverySummary: DELIVERY, Delivery: DELIVERY, VerificationReport: { reason: 'the page answered 200' },
  Dispute: { outcome: null, endedAt: null }, DealEvent: EVENTS[0] ?? {}, EscrowTransaction: { id: uuid('e1'), kind: 'ap2.hold', amount: '100.00', memo: null, legs: [legOf(`2010:${ADA_WALLET}`, `2020:${ESCROW}`, '100.00')] },
  InitiatedPayment: { status: 'HELD', escrow: { ...HELD_ESCROW, deliveryStatus: 'NONE', deliveries: [], autoReleaseAt: null, allowedActions: ['cancel'] } },
  FundingResult: { transaction: { type: 'fund', direction: 'IN', amount: '150.00', balanceAfter: '150.00', counterpart: 'card money at the processor', memo: null, reference: {} }, checkout: undefined },
  WalletAndTransaction: { transaction: { type: 'transfer', amount: '5.00', balanceAfter: '90.00', counterpart: `wallet ${SCRIBE_WALLET}`, memo: 'Thanks', reference: {} } },
  ListSandboxMailResponse: { items: [{ to: 'ada@example.com', subject: 'Confirm your email' }] }, GetReadinessResponse: { status: 'ok' },
  UpdateOwnAccountResponse: { id: ADA, username: null, displayName: 'Ada Lovelace', pendingEmail: undefined },
  OwnerWallets: { id: ADA_WALLET }, WalletDetail: { id: ADA_WALLET },
  Settlement: {
    status: 'RELEASED', escrow: RELEASED_ESCROW, fee: '20.00', netToSeller: '80.00', commission: '0.00',
    transaction: { kind: 'ap2.release', legs: [legOf(`2020:${ESCROW}`, `2010:${SCRIBE_WALLET}`, '80.00'), legOf(`2020:${ESCROW}`, '4010', '20.00')] },
  },
  Reconciliation: {
    status: 'HELD', gross: '100.00', released: '0.00', refunded: '0.00', heldBalance: '100.00', expectedHeld: '100.00', difference: '0.00', fee: '0.00', commission: '0.00', external: [],
    entries: [{ journalId: uuid('e1'), kind: 'ap2.hold', at: at(12, '10:05'), debit: `2010:${ADA_WALLET}`, credit: `2020:${ESCROW}`, amount: '100.00', hash: SHA256 }], checks: [{ name: 'the held balance is what is left', ok: true }],
  },
  SuspendedPayment: { id: 'pi_3NExample', reason: 'MISMATCH', amount: '25.00', fee: '0.00', resolution: null, journalId: null, settledAt: null }, SuspenseExit: { item: { resolution: 'ASSIGNED', journalId: uuid('e2'), settledAt: at(14, '08:00') }, approval: undefined },
  TrustScore: { tier: 'BASIC' }, Approval: { kind: 'wallet.transfer', reason: 'Checked with the customer', status: 'APPROVED' }, AuditEvent: { action: 'agent.claimed', details: {} },
  Organization: { slug: 'analytical-engines', name: 'Analytical Engines', id: uuid('d1'), role: 'OWNER' }, OrganizationMember: { username: 'ada', role: 'OWNER' },
  ServiceAccount: { name: 'Nightly job', description: 'Reads the catalog every night', agentId: null, organizationId: null }, ServiceAccountWithKey: { name: 'Nightly job', description: 'Reads the catalog every night', agentId: null, organizationId: null },
  RotateServiceAccountResponse: { name: 'Nightly job', description: 'Reads the catalog every night', agentId: null, organizationId: null },
  CheckUsernameResponse: { available: true, suggestions: undefined }, GetKeyAccessStatusResponse: { allowed: true, reason: undefined },
  GetHealthResponse: { status: 'ok', reason: undefined },
  RegisterResponse: { warnings: undefined, svc_meta: undefined }, SetUpFirstAdminResponse: { warnings: undefined }, ResetPasswordResponse: { warnings: undefined }, ChangePasswordResponse: { warnings: undefined },
  AgentAccountRegistered: { warnings: undefined, user: AGENT_USER }, SelfRegistered: { user: { ...AGENT_USER, displayName: 'night_clerk', username: 'night_clerk' } }, VerifyEmailRequest: { token: LINK_TOKEN }, ResetPasswordRequest: { token: LINK_TOKEN }, SetUpFirstAdminRequest: { token: LINK_TOKEN },
  PaySandboxCheckoutResponse: { status: 'paid', amount: '100.00' }, BreakProcessorResponse: { kind: 'answer_lost' }, EmitProcessorEventResponse: { id: 'evt_1Example' }, ProcessorEvent: { id: 'evt_1Example' },
  RegistrationChallenge: { parameters: { keyPrefix: '00' } }, TransferFromWalletRequest: { amount: 5 },
}

/** Request bodies that differ from the example of their schema, by operationId. */
export const REQUESTS: Readonly<Record<string, Record<string, unknown>>> = {
  updateOwnAccount: { displayName: 'Ada Lovelace' },
  updateServiceAccount: { name: 'Nightly job', scopes: ['agent:read'] },
  changePassword: { currentPassword: 'correct horse battery', newPassword: 'staple battery horse' },
  registerListedAgent: { username: 'scribe_bot', email: 'scribe@example.com' },
  selfRegisterAgent: { username: 'night_clerk' },
  adminTransfer: { fromWalletId: ADA_WALLET, toUsername: 'scribe', amount: 25, reason: 'Goodwill' },
  issueTestCredit: { walletId: ADA_WALLET, amount: 25, reason: 'Trial' },
  submitAgent: { notes: 'Ready for review' },
  refundEscrow: { memo: 'Cannot deliver in time' },
  withdrawDispute: { memo: 'Solved together' },
  unfreezeEscrow: { reason: 'The owner confirmed the new key' },
  exchangeSession: { provider: 'github', subject: '583231', email: 'ada@example.com', emailVerified: true, name: 'Ada' },
  receivePayoutUpdated: { id: 'evt_1Example', type: 'payout.paid', data: { object: { id: 'po_1Example' } } },
  receiveTransferUpdated: { id: 'evt_2Example', type: 'transfer.updated', data: { object: { id: 'tr_1Example' } } },
  receiveAccountUpdated: { id: 'evt_3Example', type: 'account.updated', data: { object: { id: 'acct_1Example' } } },
  receiveCheckoutSession: { id: 'evt_4Example', type: 'checkout.session.completed', data: { object: { id: 'cs_1Example' } } },
}

/** What an id in a path is, by the beginning of the path: example and noun. */
export const PATH_IDS: readonly (readonly [string, string, string])[] = [
  ['/agents/my-runs', uuid('f2'), 'run'], ['/agents', SCRIBE, 'agent'], ['/admin/agents', SCRIBE, 'agent'], ['/wallets', ADA_WALLET, 'wallet'], ['/payments', ESCROW, 'escrow'], ['/ap2', NEGOTIATION, 'negotiation'],
  ['/admin/users', ADA, 'account'], ['/admin/approvals', uuid('f3'), 'approval'], ['/admin/suspense', 'pi_3NExample', 'payment at the processor'], ['/sandbox/checkout', 'cs_1Example', 'checkout'],
  ['/auth/sessions', uuid('f4'), 'session'], ['/api/v1/service-accounts', uuid('b4'), 'service account'],
]
export const SOME_ID = uuid('f1')
