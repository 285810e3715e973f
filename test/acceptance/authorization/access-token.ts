import { routingKey } from './gateway/keys-rows.ts'
import { narrowServiceAccount, type Prepare } from './targets.ts'

/**
 * What each operation that changes something lets a stolen access token do, with the reason. An operation that accepts
 * an access token and is missing here fails stolen-token.test.ts; ADR 0009 says how to choose.
 */
export type Power =
  /** Refused without a fresh proof: it would outlive the token, or cannot be undone. */
  | 'step-up'
  /** The request itself carries the proof. */
  | 'proof'
  /** Takes nothing from the owner and gives the thief nothing that lasts. */
  | 'harmless'
  /** The owner can undo it. */
  | 'reversible'
  /** A deal, which is what the service is for: bounded by balance and escrow. */
  | 'deal'
  /** Exists in sandbox mode alone. */
  | 'sandbox'

export interface Verdict {
  power: Power
  reason: string
  /** What the test sends where the body of the matrix does not need a proof. */
  body?: (ids: string[]) => object
  /** Its object, where that of the matrix would not do. */
  target?: Prepare
}

const because =
  (power: Power) =>
  (reason: string, body?: Verdict['body']): Verdict => ({ power, reason, body })
const [stepUp, proof, harmless] = [because('step-up'), because('proof'), because('harmless')]
const [reversible, deal, sandbox] = [because('reversible'), because('deal'), because('sandbox')]

const trade = deal('Part of a deal; money that leaves by it was put into escrow for work')
const ownTerms = deal('Ends or contests a deal by its own rules')

const ownBank = harmless('The money goes to the bank account or address that its owner set with a proof')

export const POWERS: Record<string, Verdict> = {
  'PATCH /users/me': stepUp('A new address opens the account; a display name is reversible', () => ({
    email: 'thief@example.com',
  })),
  'PATCH /users/me/notifications': reversible('Mails about money and security are sent anyway'),
  'POST /users/me/inbox/read': harmless('The notifications stay in the list'),
  'DELETE /users/me': stepUp('Cannot be undone', () => ({})),
  'POST /auth/change-password': proof('Needs the present password; with a second factor a step-up too'),
  'DELETE /auth/sessions/{id}': reversible('The owner signs in again'),
  'POST /auth/step-up': proof('Is the proof'),
  'POST /mfa/setup': stepUp('A second factor of a thief locks the owner out'),
  'POST /mfa/enable': stepUp('A second factor of a thief locks the owner out'),
  'POST /mfa/disable': proof('Needs a code of the factor; with a backup code a step-up too'),

  'POST /api/v1/service-accounts': stepUp('A key outlives the token'),
  'POST /api/v1/keys': stepUp('A key outlives the token'),
  'PATCH /api/v1/service-accounts/{id}': {
    ...stepUp('A wider key is a new one; to rename or narrow it is reversible', () => ({
      scopes: ['agent:read', 'agent:write'],
    })),
    target: narrowServiceAccount,
  },
  'POST /api/v1/service-accounts/{id}/rotate': stepUp('The new key outlives the token'),
  'POST /api/v1/service-accounts/{id}/expire': reversible('The owner sets a later expiry'),
  'DELETE /api/v1/service-accounts/{id}': reversible(
    'The owner makes another key; ending one must work at once',
  ),

  'POST /oauth/authorizations': stepUp('The client outlives the token'),

  'POST /v1/auth/keys': stepUp('A key outlives the token'),
  'POST /routing/keys': stepUp('A key outlives the token'),
  'PATCH /v1/auth/keys/{id}': {
    ...stepUp('A wider key is a new one; to rename or narrow it is reversible', () => ({
      limits: { rpm: null },
    })),
    target: routingKey,
  },
  'DELETE /v1/auth/keys/{id}': reversible('The owner makes another key; ending one must work at once'),
  'POST /v1/routing/config': reversible('The owner changes it back'),

  'POST /certification-runs': harmless('Tests an agent of the account'),
  'POST /certification-runs/{runId}/participants': harmless('Tests an agent of the account'),
  'POST /certification-runs/{runId}/start': harmless('Tests an agent of the account'),
  'POST /certification-runs/{runId}/abort': reversible('Another run is created'),

  'POST /v1/wallet/topup': reversible('The owner returns it to the wallet'),
  'POST /v1/wallet/withdraw': reversible('It goes to a wallet of the owner, who tops up from it'),

  'POST /affiliates/apply': harmless('An application that an admin decides'),
  'POST /affiliates/enroll': harmless('The profile belongs to the account'),
  'POST /affiliates/links/generate': harmless('A link with the code of the account'),
  'POST /affiliates/payout': harmless('It pays into the wallet of the account'),
  'POST /affiliates/admin/commissions/{id}/clear': stepUp('It lets an affiliate earn'),
  'POST /affiliates/admin/commissions/{id}/confirm-fraud': stepUp('It takes back what an affiliate earned'),
  'POST /affiliates/admin/{id}/review': stepUp('It lets an affiliate earn'),
  'POST /affiliates/admin/{id}/commission-plan': stepUp('It decides what an affiliate earns'),
  'POST /affiliates/admin/{id}/suspend': stepUp('It stops what an affiliate earns'),
  'POST /affiliates/admin/{id}/reactivate': stepUp('It lets an affiliate earn'),

  'POST /organizations': harmless('A new organization of the account alone'),
  'PATCH /organizations/{slug}': reversible('A name'),
  'DELETE /organizations/{slug}': stepUp('Cannot be undone'),
  'POST /organizations/{slug}/accept': reversible(
    'The member leaves, or an OWNER invites another and leaves',
  ),
  'POST /organizations/{slug}/decline': reversible('The person is invited again'),
  'POST /organizations/{slug}/members': stepUp('A member outlives the token and may spend'),
  'PATCH /organizations/{slug}/members/{userId}': stepUp('A role outlives the token'),
  'DELETE /organizations/{slug}/members/{userId}': stepUp('Nobody but those that are left can undo it'),
  'PUT /organizations/{slug}/policy': stepUp('It decides how much money leaves the organization'),
  'PUT /organizations/{slug}/budgets/{userId}': stepUp('It decides how much a member may spend'),

  'POST /admin/users/{id}/role': stepUp('A role outlives the token'),
  'POST /admin/users/{id}/suspend': stepUp('It locks out those who would notice'),
  'POST /admin/users/{id}/reinstate': stepUp('It gives rights back to somebody who lost them'),
  'POST /admin/users/{id}/reset-mfa': stepUp('It takes the second factor off any account'),
  'POST /admin/agents/{id}/suspend': stepUp('It stops deals of other accounts'),
  'POST /admin/agents/{id}/reinstate': stepUp('It lets an agent trade that was stopped'),
  'POST /admin/signing-keys/rotate': stepUp('It changes what others verify documents with'),
  'POST /admin/approvals/{id}/approve': stepUp('It does what was asked for, such as a transfer'),
  'POST /admin/approvals/{id}/reject': reversible('It is asked for again'),
  'POST /agents/{id}/review': reversible('The next review decides anew'),
  'POST /wallets/transfer': stepUp('Money that leaves a wallet does not come back'),
  'POST /wallets/admin/test-credit': sandbox('Test credit is never withdrawable'),
  'POST /admin/promotions': stepUp('It spends money of the operator'),
  'POST /admin/providers/{provider}/invoices': stepUp('A journal cannot be undone'),
  'POST /admin/suspense/{id}/assign': stepUp('It pays money out'),
  'POST /admin/suspense/{id}/return': stepUp('It pays money out'),
  'POST /v1/routing/admin/probe-models': harmless(
    'A short request to each model, of which the gateway keeps the time',
  ),
  'POST /v1/routing/admin/sync-models': stepUp('It decides what requests cost', () => ({
    changes: [{ model: 'glm-5', input: '1.10', output: '3.20' }],
  })),
  'POST /admin/reconciliation': harmless('It reads, and books what the processor has confirmed'),
  'POST /admin/chargebacks/{id}/evidence': stepUp('The processor takes evidence once'),
  'POST /admin/chargebacks/{id}/write-off': stepUp('It gives up money of the operator'),
  'POST /admin/unclaimed/{walletId}/assign': stepUp('It pays money out'),
  'POST /payments/escrow/{id}/resolve': stepUp('It pays out money of other accounts'),
  'POST /payments/escrow/{id}/unfreeze': stepUp('It lets frozen money go'),
  'POST /admin/x402/transfers/{id}/assign': stepUp('It pays money out'),
  'POST /admin/x402/transfers/{id}/return': stepUp('It pays money out'),
  'POST /sandbox/clock/advance': sandbox('Moves the clock of a trial'),
  'POST /sandbox/processor/events': sandbox('Simulates the processor'),
  'POST /sandbox/processor/faults': sandbox('Simulates the processor'),
  'POST /sandbox/providers/{provider}/faults': sandbox('Simulates a provider of models'),
  'POST /sandbox/processor/disputes': sandbox('Simulates the processor'),
  'POST /sandbox/processor/disputes/{id}/close': sandbox('Simulates the processor'),

  'POST /agents': harmless('The key is that of a new agent, which has no money and cannot pay'),
  'POST /agents/announce': harmless(
    'As POST /agents; money that goes to the agent counts as leaving while its claim link is open',
  ),
  'POST /agents/claim/{token}': harmless('The account gains an agent; the link is the proof'),
  'POST /agents/{id}/claim-link': stepUp('Its holder takes the agent with its wallet'),
  'POST /agents/{id}/detach-creator': stepUp('The creator does not come back'),
  'POST /agents/{id}/keys': stepUp('A key outlives the token'),
  'PUT /agents/{id}/webhook': stepUp('The address learns of the deals, and the secret outlives the token'),
  'DELETE /agents/{id}/webhook': reversible('The owner sets it again; the events stay in the log'),
  'POST /agents/{id}/webhook/rotate-secret': stepUp('The new secret outlives the token'),
  'POST /agents/{id}/webhook/deliveries/{deliveryId}/replay': harmless('It goes to the address of the owner'),
  'POST /agents/{id}/revoke-key': reversible('The owner issues another key; ending one must work at once'),
  'PUT /agents/{id}': stepUp('ARCHIVED is final; all else is reversible', () => ({ status: 'ARCHIVED' })),
  'PATCH /agents/{id}': stepUp('ARCHIVED is final; all else is reversible', () => ({ status: 'ARCHIVED' })),
  'POST /agents/{id}/publish': reversible('The owner pauses it'),
  'POST /agents/{id}/submit': reversible('A review sends it back'),
  'PATCH /agents/{id}/budget': reversible('The owner sets it again; what an agent spends is put into escrow'),
  'PUT /agents/{id}/autonomy-policy': reversible(
    'The owner sets it again; what an agent spends is put into escrow',
  ),
  'POST /a2a/agents/{agentId}/heartbeat': reversible('The next heartbeat'),

  'POST /a2a': trade,
  'POST /a2a/agents/{agentId}': trade,
  'POST /agents/a2a': harmless('A message to another agent; it expires'),
  'POST /agents/a2a/respond': harmless('A message to another agent; money moves by a deal alone'),
  'POST /agents/{id}/reviews': harmless('One rating of a deal that has ended'),
  'POST /agents/{id}/reviews/{reviewId}/reply': harmless('One sentence below a rating'),

  'POST /wallets': harmless('A new wallet without money, which is not the default one'),
  'POST /wallets/{id}/fund': harmless('Money comes into a wallet of the caller, from a card of the caller'),
  'POST /wallets/{id}/transfer': stepUp(
    'Money that leaves the account does not come back; up to TRANSFER_STEP_UP_USD a day it may',
  ),

  'POST /wallet-vouchers': stepUp(
    'Whoever gets the code has the money; up to TRANSFER_STEP_UP_USD a day it may, with transfers',
  ),
  'POST /wallet-vouchers/redeem': harmless('Money comes into a wallet of the caller'),
  'POST /wallet-vouchers/{id}/cancel': reversible('The money is back in the wallet; another voucher is made'),
  'POST /payouts/user/setup': stepUp('Its link leads to where the bank account is changed'),
  'POST /payouts/setup': stepUp('Its link leads to where the bank account is changed'),
  'POST /payouts/org/setup': stepUp('Its link leads to where the bank account is changed'),
  'POST /payouts/user/request': ownBank,
  'POST /payouts/request': ownBank,
  'POST /payouts/org/request': ownBank,
  'POST /payouts/agent-to-user': harmless('The money stays with its owner'),
  'POST /payouts/{id}/cancel': harmless('The money returns to its wallet'),

  'POST /subscriptions/checkout': reversible('An immediate cancellation returns all but the first day'),
  'POST /subscriptions/cancel': reversible('The owner subscribes again; the rest is in the wallet'),

  'POST /agents/{id}/execute': trade,
  'POST /agents/{id}/runs/{runId}/result': trade,
  'POST /agents/my-runs/{id}/approve': trade,
  'POST /agents/my-runs/{id}/reject': ownTerms,
  'POST /agents/my-runs/{id}/cancel': ownTerms,
  'POST /vault': harmless('A file of the caller, within the quota'),
  'DELETE /vault/{id}': harmless('Never a file that was delivered; its owner uploads it again'),
  'POST /market/needs': reversible('The owner closes it'),
  'POST /market/needs/{id}/close': reversible('The owner publishes it again'),
  'POST /market/needs/{id}/offers': trade,
  'POST /market/offers/{id}/accept': trade,
  'POST /market/offers/{id}/withdraw': reversible('The owner offers again'),
  'POST /ap2/negotiate': trade,
  'POST /ap2/respond': trade,
  'POST /ap2/start': trade,
  'POST /ap2/deliver': trade,
  'POST /ap2/cancel': ownTerms,
  'POST /payments/x402/initiate': harmless(
    'A request for a payment; whoever pays signs with a key of their own',
  ),
  'POST /payments/ap2/initiate': trade,
  'POST /payments/ap2/complete': trade,
  'POST /payments/ap2/confirm-stripe-release': harmless('Only reads'),
  'POST /payments/create-agent-checkout': harmless('A page on which somebody pays with a card of their own'),
  'POST /payments/stripe/create': harmless('Money comes into escrow from a card of the caller'),
  'POST /payments/ap2/release': trade,
  'POST /payments/escrow/{id}/deliver': trade,
  'POST /payments/escrow/{id}/changes': trade,
  'POST /payments/escrow/{id}/refund': ownTerms,
  'POST /payments/escrow/{id}/dispute': ownTerms,
  'POST /payments/escrow/{id}/dispute/respond': ownTerms,
  'POST /payments/escrow/{id}/dispute/withdraw': ownTerms,
}
