import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const WEB = join(import.meta.dirname, '../../../../web')
const FOLDERS = '{api,app,parts,sections}/**/*.{ts,tsx}'

/** `$api.useMutation('post', '/path'`; the path may be a variable. */
const HOOK = /\.useMutation\(\s*'(\w+)',\s*('[^']+'|\w+)/g
/** `api.POST('/path'`. */
const CALL = /\bapi\.(POST|PUT|PATCH|DELETE)\(\s*('[^']+'|\w+)/g

/** Every operation by which the code of the console writes. */
export function writesOfConsole(): Set<string> {
  const code = globSync(FOLDERS, { cwd: WEB, exclude: ['api/schema.d.ts'] }).map(name =>
    readFileSync(join(WEB, name), 'utf8'),
  )
  const found = code.flatMap(text => [...text.matchAll(HOOK), ...text.matchAll(CALL)])
  return new Set(
    found.map(([, method = '', path = '']) => `${method.toUpperCase()} ${path.replaceAll("'", '')}`),
  )
}

/** They move money, and cannot name the amount before. */
export const WITHOUT_AMOUNT: Readonly<Record<string, string>> = {
  'POST /wallet-vouchers/redeem': 'The code alone says what the voucher is worth; the money comes in.',
  'POST /v1/routing/admin/probe-models': 'What the probes cost is known when the providers have answered.',
}

/** They move no money: they agree, describe, decide about access, or ask the processor. */
export const NO_MONEY: readonly string[] = `
POST path
DELETE /agents/{id}/webhook
DELETE /api/v1/service-accounts/{id}
DELETE /auth/sessions/{id}
DELETE /organizations/{slug}
DELETE /organizations/{slug}/members/{userId}
DELETE /v1/auth/keys/{id}
DELETE /vault/{id}
PATCH /agents/{id}
PATCH /agents/{id}/budget
PATCH /api/v1/service-accounts/{id}
PATCH /organizations/{slug}
PATCH /organizations/{slug}/members/{userId}
PATCH /users/me
PATCH /users/me/notifications
PATCH /v1/auth/keys/{id}
POST /admin/agents/{id}/reinstate
POST /admin/agents/{id}/suspend
POST /admin/chargebacks/{id}/evidence
POST /admin/reconciliation
POST /admin/users/{id}/reinstate
POST /admin/users/{id}/reset-mfa
POST /admin/users/{id}/role
POST /admin/users/{id}/suspend
POST /affiliates/admin/{id}/commission-plan
POST /affiliates/admin/{id}/reactivate
POST /affiliates/admin/{id}/review
POST /affiliates/admin/{id}/suspend
POST /affiliates/apply
POST /affiliates/enroll
POST /affiliates/links/generate
POST /agents
POST /agents/a2a
POST /agents/a2a/respond
POST /agents/claim/{token}
POST /agents/passport/verify
POST /agents/{id}/claim-link
POST /agents/{id}/detach-creator
POST /agents/{id}/keys
POST /agents/{id}/publish
POST /agents/{id}/review
POST /agents/{id}/reviews
POST /agents/{id}/reviews/{reviewId}/reply
POST /agents/{id}/revoke-key
POST /agents/{id}/rotate-key
POST /agents/{id}/submit
POST /agents/{id}/webhook/deliveries/{deliveryId}/replay
POST /agents/{id}/webhook/rotate-secret
POST /ap2/deliver
POST /ap2/negotiate
POST /ap2/respond
POST /ap2/start
POST /api/v1/service-accounts
POST /api/v1/service-accounts/{id}/expire
POST /api/v1/service-accounts/{id}/rotate
POST /auth/change-password
POST /auth/forgot-password
POST /auth/login
POST /auth/login/mfa
POST /auth/logout
POST /auth/magic-link/consume
POST /auth/magic-link/request
POST /auth/register
POST /auth/resend-verification
POST /auth/reset-password
POST /auth/setup
POST /auth/step-up
POST /auth/verify-email
POST /certification-runs
POST /certification-runs/{runId}/abort
POST /certification-runs/{runId}/start
POST /market/needs
POST /market/needs/{id}/close
POST /market/needs/{id}/offers
POST /market/offers/{id}/accept
POST /market/offers/{id}/withdraw
POST /mfa/disable
POST /mfa/enable
POST /mfa/setup
POST /oauth/authorizations
POST /organizations
POST /organizations/{slug}/accept
POST /organizations/{slug}/decline
POST /organizations/{slug}/members
POST /payments/escrow/{id}/changes
POST /payments/escrow/{id}/dispute
POST /payments/escrow/{id}/dispute/respond
POST /payments/escrow/{id}/dispute/withdraw
POST /payments/escrow/{id}/unfreeze
POST /payouts/org/setup
POST /payouts/setup
POST /payouts/user/setup
POST /sandbox/samples
POST /users/me/inbox/read
POST /v1/auth/keys
POST /v1/routing/config
POST /vault
PUT /agents/{id}/autonomy-policy
PUT /agents/{id}/webhook
PUT /organizations/{slug}/budgets/{userId}
PUT /organizations/{slug}/policy
`
  .trim()
  .split('\n')
