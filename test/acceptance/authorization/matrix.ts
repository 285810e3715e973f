import { admins } from './admin/rows.ts'
import { affiliates } from './affiliate-rows.ts'
import {
  beating,
  email,
  empty,
  event,
  fromWallet,
  joining,
  naming,
  newOrganization,
  ONE_DOLLAR,
  ownedBy,
  PASSWORD,
  person,
  sending,
  toPartner,
  username,
} from './bodies.ts'
import { certifications } from './certification-rows.ts'
import { escrows, negotiations, runs } from './deal-rows.ts'
import { gateway } from './gateway/index.ts'
import { limits, market } from './market-rows.ts'
import { cardPayments, payouts, subscriptions } from './money-rows.ts'
import { documents } from './pages/rows.ts'
import { all, byAdmin, one, READ, type Row } from './row.ts'
import * as at from './targets.ts'
import { social } from './social-rows.ts'
import { sandbox } from './sandbox-rows.ts'
import { x402 } from './x402-rows.ts'

const CONSENT = {
  clientId: 'none',
  redirectUri: 'https://app.example/done',
  codeChallenge: 'x'.repeat(43),
  spendingLimit: 1,
}
/** Not for keys that are bound to one agent or organization. */
const WHOLE_ACCOUNT = { bound: 403 }

const authentication: Row[] = [
  all('POST /auth/register', 'none', 201, { body: person }),
  all('POST /auth/register-agent', 'none', 201, { body: username }),
  all('POST /auth/login', 'none', 401, { body: () => ({ ...email(), password: 'a wrong password' }) }),
  all('POST /auth/login/mfa', 'none', 401, sending({ mfaToken: 'none', totpCode: '123456' })),
  all('POST /auth/agent/login', 'none', 401, sending({ username: 'nobody_here', apiKey: 'sk_nonsense' })),
  all('POST /auth/refresh', 'none', 401, sending({ refreshToken: 'none' })),
  all('POST /auth/logout', 'none', 204, sending({ refreshToken: 'none' })),
  all('POST /auth/setup', 'none', 400, { body: () => ({ ...person(), token: 'none' }) }),
  all('POST /auth/verify-email', 'none', 400, sending({ token: 'none' })),
  all('POST /auth/resend-verification', 'none', 200, { body: email }),
  all('POST /auth/forgot-password', 'none', 200, { body: email }),
  all('POST /auth/reset-password', 'none', 400, sending({ token: 'none', newPassword: PASSWORD })),
  all('POST /auth/magic-link/request', 'none', 200, { body: email }),
  all('POST /auth/magic-link/consume', 'none', 400, sending({ token: 'none' })),
  all('GET /auth/check-username', 'none', 200, { query: 'username=somebody' }),
  all('GET /agents/username/check', 'none', 200, { query: 'username=somebody' }),
  all('GET /.well-known/jwks.json', 'none'),
  // Off as this service is set up: what follows is for their own tests.
  all('GET /auth/register-agent/challenge', 'none', 404),
  all('GET /auth/identity-provider/login', 'none', 400),
  all('GET /auth/identity-provider/callback', 'none', 400),
  all('POST /auth/session/exchange', 'secret', 401, sending({ provider: 'github', subject: 'somebody' })),
]

const accounts: Row[] = [
  all('GET /users/me', 'jwt'),
  all('PATCH /users/me', 'jwt', 200, sending({ displayName: 'Renamed' })),
  all('GET /users/me/notifications', 'jwt'),
  all('GET /users/me/events', 'jwt', 200, { unasked: true }),
  all('PATCH /users/me/notifications', 'jwt', 200, sending({ offers: { email: true } })),
  all('GET /users/me/inbox', 'jwt'),
  all('POST /users/me/inbox/read', 'jwt', 200, empty),
  all('GET /unsubscribe/{token}', 'none', 404, { target: at.nobodys }),
  all('POST /unsubscribe/{token}', 'none', 404, { target: at.nobodys }),
  // Refused for its phrase, so that the callers live on.
  all('DELETE /users/me', 'jwt', 400, sending({ confirmPhrase: 'delete it' })),
  all('POST /auth/change-password', 'jwt', 401, sending({ currentPassword: 'wrong', newPassword: PASSWORD })),
  all('GET /auth/sessions', 'jwt'),
  one('DELETE /auth/sessions/{id}', 'jwt', at.session, { own: 204 }),
  all('POST /auth/step-up', 'jwt', 400, empty),
  all('GET /mfa/status', 'jwt'),
  all('POST /mfa/setup', 'jwt'),
  all('POST /mfa/enable', 'jwt', 400, sending({ token: '000' })),
  all('POST /mfa/disable', 'jwt', 400, sending({ token: '000' })),
]

const keys: Row[] = [
  all('POST /api/v1/service-accounts', 'jwt', 201, sending({ name: 'Key' })),
  all('GET /api/v1/service-accounts', 'jwt'),
  one('GET /api/v1/service-accounts/{id}', 'jwt', at.serviceAccount),
  one('PATCH /api/v1/service-accounts/{id}', 'jwt', at.serviceAccount, sending({ name: 'Renamed' })),
  one('DELETE /api/v1/service-accounts/{id}', 'jwt', at.serviceAccount),
  one('POST /api/v1/service-accounts', 'jwt', at.agent, { own: 201, ...naming('agentId', { name: 'Key' }) }),
  one('POST /api/v1/service-accounts', 'jwt', at.organizationId, {
    own: 201,
    ...naming('organizationId', { name: 'Key' }),
  }),
  one('POST /api/v1/keys', 'jwt', at.agent, { own: 201, ...naming('agentId', { name: 'Key' }) }),
  one('POST /api/v1/keys', 'jwt', at.organizationId, {
    own: 201,
    ...naming('organizationId', { name: 'Key' }),
  }),
  one('POST /api/v1/service-accounts/{id}/rotate', 'jwt', at.serviceAccount, { own: 201 }),
  one('POST /api/v1/service-accounts/{id}/expire', 'jwt', at.serviceAccount, { own: 201 }),
  all('POST /api/v1/service-accounts/agents/self-register', 'none', 201, { body: username }),
  all('GET /api/v1/keys/access-status', 'jwt'),
  all('POST /api/v1/keys', 'jwt', 201, sending({ name: 'Key' })),
  all('GET /.well-known/oauth-authorization-server', 'none'),
  all('POST /oauth/register', 'none', 201, sending({ redirect_uris: ['https://app.example/done'] })),
  all('POST /oauth/token', 'none', 400),
  // Of a client that nobody registered.
  all('GET /oauth/client', 'jwt', 400, { query: 'clientId=none&redirectUri=https://app.example/done' }),
  all('POST /oauth/authorizations', 'jwt', 400, sending(CONSENT)),
]

const organizations: Row[] = [
  all('POST /organizations', 'jwt', 201, { body: newOrganization }),
  all('GET /organizations', 'jwt'),
  one('GET /organizations/{slug}', 'jwt', at.lastingOrganization),
  one('PATCH /organizations/{slug}', 'jwt', at.lastingOrganization, sending({ name: 'Renamed' })),
  one('DELETE /organizations/{slug}', 'jwt', at.organization, { own: 204 }),
  all('GET /users/me/invitations', 'jwt'),
  one('POST /organizations/{slug}/accept', 'jwt', at.invitation, { others: 404 }),
  one('POST /organizations/{slug}/decline', 'jwt', at.invitation, { own: 204, others: 404 }),
  one('GET /organizations/{slug}/members', 'jwt', at.lastingOrganization),
  one('POST /organizations/{slug}/members', 'jwt', at.organization, {
    own: 201,
    body: joining,
    settable: ['role'],
  }),
  one('PATCH /organizations/{slug}/members/{userId}', 'jwt', at.member, {
    ...sending({ role: 'ADMIN' }),
    settable: ['role'],
  }),
  one('DELETE /organizations/{slug}/members/{userId}', 'jwt', at.member, { own: 204 }),
  one('GET /organizations/{slug}/policy', 'jwt', at.lastingOrganization),
  one('PUT /organizations/{slug}/policy', 'jwt', at.lastingOrganization, sending({ monthlyLimit: 100 })),
  one('GET /organizations/{slug}/budgets', 'jwt', at.lastingOrganization),
  one('PUT /organizations/{slug}/budgets/{userId}', 'jwt', at.member, sending({ monthlyLimit: 100 })),
]

const agents: Row[] = [
  all('POST /agents/register', 'none', 200, { body: () => ({ ...email(), ...username() }) }),
  all('GET /agents', 'none'),
  all('POST /agents', 'service', 201, { ...sending({ name: 'Made' }), settable: ['role'], ...WHOLE_ACCOUNT }),
  all('GET /agents/discover', 'none'),
  all('GET /agents/my-agents', 'service'),
  all('POST /agents/announce', 'service', 201, {
    ...sending({ name: 'Announced' }),
    settable: ['role'],
    ...WHOLE_ACCOUNT,
  }),
  one('POST /agents/claim/{token}', 'jwt-human', at.claimLink, { own: 200, others: 200 }),
  one('POST /agents/{id}/claim-link', 'service', at.agent, { own: 201 }),
  one('POST /agents/{id}/detach-creator', 'jwt', at.claimed),
  one('GET /agents/{id}', 'none', at.privateAgent, READ),
  one('GET /agents/slug/{slug}', 'none', at.privateSlug, READ),
  all('GET /agents/slug/{slug}/exists', 'none', 200, { target: at.privateSlug }),
  one('GET /agents/slug/{slug}/badge', 'none', at.privateSlug, READ),
  one('GET /agents/{id}/badge', 'none', at.privateAgent, READ),
  one('GET /agents/{id}/schema', 'none', at.privateAgent, READ),
  one('GET /trust/{agentId}/score', 'none', at.privateAgent, READ),
  one('GET /agents/{id}/passport', 'none', at.privateAgent, READ),
  all('POST /agents/passport/verify', 'none', 200, empty),
  one('GET /v1/svcscore/score/{agentId}', 'none', at.privateAgent, READ),
  one('GET /conduit/agents/{agentId}/passport', 'none', at.privateAgent, READ),
  one('GET /trust/{agentId}/history', 'none', at.privateAgent, READ),
  one('GET /a2a/agents/{agentId}/presence', 'none', at.privateAgent, READ),
  one('POST /a2a/agents/{agentId}/heartbeat', 'agent', at.agent, { ...beating, settable: ['status'] }),
  one('PUT /agents/{id}', 'service', at.agent, {
    ...sending({ name: 'Renamed' }),
    settable: ['role', 'status'],
  }),
  one('PATCH /agents/{id}', 'service', at.agent, {
    ...sending({ name: 'Renamed' }),
    settable: ['role', 'status'],
  }),
  one('POST /agents/{id}/publish', 'service', at.agent, { own: 201 }),
  one('POST /agents/{id}/submit', 'service', at.submittedAgent, { own: 201, ...empty }),
  byAdmin('POST /agents/{id}/review', 201, {
    target: at.submittedAgent,
    ...sending({ decision: 'APPROVED' }),
  }),
  one('POST /agents/{id}/keys', 'jwt', at.keylessAgent, { own: 201 }),
  one('POST /agents/{id}/rotate-key', 'agent-key', at.agentWithOwnerKey, { others: 401 }),
  one('POST /agents/{id}/revoke-key', 'agent-key|jwt', at.agentWithOwnerKey, { others: 401 }),
  one('GET /agents/{id}/inbox', 'agent', at.agent),
  one('GET /agents/{id}/events', 'agent', at.agent, { unasked: true }),
  one('GET /agents/{id}/webhook', 'service', at.webhook),
  one('PUT /agents/{id}/webhook', 'service', at.agent, sending({ url: 'https://agent.example/events' })),
  one('DELETE /agents/{id}/webhook', 'service', at.webhook, { own: 204 }),
  one('POST /agents/{id}/webhook/rotate-secret', 'service', at.agent),
  one('GET /agents/{id}/webhook/deliveries', 'service', at.agent),
  one('POST /agents/{id}/webhook/deliveries/{deliveryId}/replay', 'service', at.webhookDelivery, {
    own: 409,
  }),
]

const wallets: Row[] = [
  all('POST /wallets', 'jwt', 201, { ...empty, settable: ['ownerId'] }),
  one('POST /wallets', 'jwt', at.agent, { own: 201, ...ownedBy('AGENT') }),
  one('POST /wallets', 'jwt', at.account, { own: 201, ...ownedBy('USER'), unknown: 403 }),
  one('POST /wallets', 'jwt', at.organizationId, { own: 201, ...ownedBy('ORGANIZATION') }),
  all('GET /wallets/my-agents', 'service'),
  all('GET /wallets/totals', 'service', 200, { query: 'from=2026-01-01T00:00:00Z', bound: 403 }),
  one('GET /wallets/org/{slug}', 'service', at.organization),
  one('GET /wallets/agent/{agentId}', 'service', at.agent),
  one('GET /wallets/user/{userId}', 'service', at.account),
  one('GET /wallets/user/{userId}/detail', 'service', at.account),
  one('GET /wallets/{id}', 'service', at.wallet),
  one('GET /wallets/{id}/transactions', 'service', at.wallet),
  one('GET /wallets/{id}', 'service', at.organizationWallet),
  one('GET /wallets/{id}/transactions', 'service', at.organizationWallet),
  one('POST /wallets/{id}/fund', 'jwt', at.wallet, { own: 201, ...sending({ amount: 10 }) }),
  one('POST /wallets/{id}/fund', 'jwt', at.organizationWallet, { own: 201, ...sending({ amount: 10 }) }),
  one('POST /wallets/{id}/transfer', 'jwt', at.wallet, { own: 201, body: toPartner }),
  one('POST /wallet-vouchers', 'jwt', at.wallet, { own: 201, ...naming('walletId', { amount: 1 }) }),
  all('GET /wallet-vouchers', 'jwt'),
  one('POST /wallet-vouchers/{id}/cancel', 'jwt', at.voucher),
  one('POST /wallet-vouchers/redeem', 'jwt', at.voucherCode, { others: 200, ...naming('code') }),
  byAdmin('POST /wallets/transfer', 201, { target: at.wallet, body: fromWallet }),
  byAdmin('POST /wallets/admin/test-credit', 201, { target: at.wallet, ...naming('walletId', ONE_DOLLAR) }),
]

const notifications = [
  'payout-updated',
  'transfer-updated',
  'account-updated',
  'payment-intent',
  'checkout-session',
].map(name => all(`POST /webhooks/payment-processor/${name}`, 'signature', 400, event))

/** Every operation of the service with its rule; some have a row for each side of a deal. */
export const matrix: Row[] = [
  ...authentication,
  ...accounts,
  ...keys,
  ...organizations,
  ...admins,
  ...agents,
  ...social,
  ...limits,
  ...wallets,
  ...cardPayments,
  ...subscriptions,
  ...negotiations,
  ...runs,
  ...market,
  ...escrows,
  ...payouts,
  ...affiliates,
  ...certifications,
  ...notifications,
  ...x402,
  ...gateway,
  ...sandbox,
  ...documents,
]
