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

const because = (power: Power) => (reason: string, body?: Verdict['body']): Verdict => ({ power, reason, body })
const [stepUp, proof, harmless] = [because('step-up'), because('proof'), because('harmless')]
const [reversible, deal, sandbox] = [because('reversible'), because('deal'), because('sandbox')]

const trade = deal('Part of a deal; money that leaves by it was put into escrow for work')
const ownTerms = deal('Ends or contests a deal by its own rules')

export const POWERS: Record<string, Verdict> = {
  'PATCH /users/me': stepUp('A new address opens the account; a display name is reversible', () => ({ email: 'thief@example.com' })),
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
    ...stepUp('A wider key is a new one; to rename or narrow it is reversible', () => ({ scopes: ['agent:read', 'agent:write'] })),
    target: narrowServiceAccount,
  },
  'POST /api/v1/service-accounts/{id}/rotate': stepUp('The new key outlives the token'),
  'POST /api/v1/service-accounts/{id}/expire': reversible('The owner sets a later expiry'),
  'DELETE /api/v1/service-accounts/{id}': reversible('The owner makes another key; ending one must work at once'),

  'POST /organizations': harmless('A new organization of the account alone'),
  'PATCH /organizations/{slug}': reversible('A name'),
  'DELETE /organizations/{slug}': stepUp('Cannot be undone'),
  'POST /organizations/{slug}/accept': reversible('The member leaves, or an OWNER invites another and leaves'),
  'POST /organizations/{slug}/decline': reversible('The person is invited again'),
  'POST /organizations/{slug}/members': stepUp('A member outlives the token and may spend'),
  'PATCH /organizations/{slug}/members/{userId}': stepUp('A role outlives the token'),
  'DELETE /organizations/{slug}/members/{userId}': stepUp('Nobody but those that are left can undo it'),

  'POST /admin/users/{id}/role': stepUp('A role outlives the token'),
  'POST /admin/users/{id}/suspend': stepUp('It shuts out those who would notice'),
  'POST /admin/users/{id}/reinstate': stepUp('It gives rights back to somebody who lost them'),
  'POST /admin/users/{id}/reset-mfa': stepUp('It takes the second factor off any account'),
  'POST /admin/agents/{id}/suspend': stepUp('It stops the trade of others'),
  'POST /admin/agents/{id}/reinstate': stepUp('It lets an agent trade that was stopped'),
  'POST /admin/approvals/{id}/approve': stepUp('It does what was asked for, such as a transfer'),
  'POST /admin/approvals/{id}/reject': reversible('It is asked for again'),
  'POST /agents/{id}/review': reversible('The next review decides anew'),
  'POST /wallets/transfer': stepUp('Money that leaves a wallet does not come back'),
  'POST /wallets/admin/test-credit': sandbox('Test credit is never withdrawable'),
  'POST /admin/suspense/{id}/assign': stepUp('It pays money out'),
  'POST /admin/suspense/{id}/return': stepUp('It pays money out'),
  'POST /admin/unclaimed/{walletId}/assign': stepUp('It pays money out'),
  'POST /payments/escrow/{id}/resolve': stepUp('It pays the money of others out'),
  'POST /payments/escrow/{id}/unfreeze': stepUp('It lets frozen money go'),
  'POST /sandbox/clock/advance': sandbox('Moves the clock of a trial'),
  'POST /sandbox/processor/events': sandbox('Simulates the processor'),
  'POST /sandbox/processor/faults': sandbox('Simulates the processor'),

  'POST /agents': harmless('The key is that of a new agent, which has no money and cannot pay'),
  'POST /agents/announce': harmless('As POST /agents; the claim link is that of the new agent'),
  'POST /agents/claim/{token}': harmless('The account gains an agent; the link is the proof'),
  'POST /agents/{id}/claim-link': stepUp('Its holder takes the agent with its wallet'),
  'POST /agents/{id}/detach-creator': stepUp('The creator does not come back'),
  'POST /agents/{id}/keys': stepUp('A key outlives the token'),
  'POST /agents/{id}/revoke-key': reversible('The owner issues another key; ending one must work at once'),
  'PUT /agents/{id}': stepUp('ARCHIVED is final; all else is reversible', () => ({ status: 'ARCHIVED' })),
  'PATCH /agents/{id}': stepUp('ARCHIVED is final; all else is reversible', () => ({ status: 'ARCHIVED' })),
  'POST /agents/{id}/publish': reversible('The owner pauses it'),
  'POST /agents/{id}/submit': reversible('A review sends it back'),
  'POST /a2a/agents/{agentId}/heartbeat': reversible('The next heartbeat'),

  'POST /wallets': harmless('A new wallet without money, which is not the default one'),
  'POST /wallets/{id}/fund': harmless('Money comes into the own wallet, from a card of the caller'),
  'POST /wallets/{id}/transfer': stepUp('Money that leaves the account does not come back; up to TRANSFER_STEP_UP_USD a day it may'),

  'POST /ap2/negotiate': trade, 'POST /ap2/respond': trade, 'POST /ap2/start': trade, 'POST /ap2/deliver': trade,
  'POST /ap2/cancel': ownTerms,
  'POST /payments/ap2/initiate': trade, 'POST /payments/ap2/complete': trade, 'POST /payments/ap2/release': trade,
  'POST /payments/escrow/{id}/deliver': trade, 'POST /payments/escrow/{id}/changes': trade,
  'POST /payments/escrow/{id}/refund': ownTerms, 'POST /payments/escrow/{id}/dispute': ownTerms,
  'POST /payments/escrow/{id}/dispute/respond': ownTerms, 'POST /payments/escrow/{id}/dispute/withdraw': ownTerms,
}
