import type { Making } from './values.ts'
import { PASSWORD } from '../tenants/tenants.ts'
import { canary } from '../tenants/canaries.ts'
import { totp } from './totp.ts'

type Make = (making: Making) => unknown

const amount: Make = ({ random }) =>
  random.chance(0.1)
    ? random.pick([0.000001, '0.01', 1_000_000_000, '999999999.999999', 1500])
    : random.pick([1, 2, 5, 10, '2.50', '12.34', 25, 0.5])
const ownPage: Make = ({ baseUrl }) => `${baseUrl}/app`
const message = (making: Making) => ({
  kind: 'message',
  role: 'user',
  messageId: `m-${making.random.below(1000)}`,
  parts: [{ kind: 'text', text: canary(making.tag, `${making.operation.name} params`) }],
  ...(making.random.chance(0.4) ? { taskId: making.identifier('negotiation') } : {}),
})
const newName: Make = making =>
  canary(making.tag, `${making.operation.name} username`) + making.random.below(1e6)

/** Values that a field of this name needs to be understood, whatever the operation. */
const BY_NAME: Record<string, Make> = {
  email: making =>
    making.random.chance(0.4)
      ? making.random.pick([making.email, making.identifier('email') ?? making.email])
      : `${canary(making.tag, `${making.operation.name} email`)}.${making.random.below(1e6)}@example.com`,
  password: () => PASSWORD,
  newPassword: () => PASSWORD,
  currentPassword: () => PASSWORD,
  amount,
  price: amount,
  counterPrice: amount,
  budget: amount,
  amountCents: ({ random }) => random.pick([100, 250, 1000]),
  currency: ({ random }) => (random.chance(0.9) ? 'USD' : 'USDC'),
  paymentMethodId: ({ random }) =>
    random.pick(['pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined', 'pm_card_createDispute']),
  cardNumber: () => '4242424242424242',
  accountNumber: ({ random }) => random.pick(['000123456789', '000111111116']),
  idNumber: () => '000000000',
  country: () => 'US',
  returnUrl: ownPage,
  refreshUrl: ownPage,
  successUrl: ownPage,
  cancelUrl: ownPage,
  deliverableUrl: ({ baseUrl, random }) =>
    `${baseUrl}/sandbox/pages/${random.pick(['ok', 'ok', 'missing', 'redirect-private', 'report.pdf'])}`,
  url: ({ baseUrl }) => `${baseUrl}/sandbox/pages/ok`,
  'milestones[].key': ({ random }) => random.pick(['first', 'second', 'third']),
  milestoneKey: ({ random }) => random.pick(['first', 'second', 'third']),
  acceptTerms: () => true,
  seconds: ({ random }) => random.pick([1, 60, 600, 3600, 90_000]),
  delayMs: () => 1,
  copies: ({ random }) => 1 + random.below(2),
  count: () => 1,
  wait: () => 0,
  limit: ({ random }) => random.pick([1, 2, 20, 100]),
  offset: ({ random }) => random.pick([0, 0, 1, 5, 100]),
  round: ({ random }) => random.below(4),
  sellerBps: ({ random }) => random.pick([0, 1, 5000, 9999, 10_000]),
  address: () => `0x${'b'.repeat(40)}`,
  buyerAddress: () => `0x${'b'.repeat(40)}`,
  walletAddress: () => `0x${'b'.repeat(40)}`,
  cryptoAddress: () => `0x${'b'.repeat(40)}`,
  toAddress: () => `0x${'b'.repeat(40)}`,
  botToken: () => undefined,
  challengeSolution: () => undefined,
}

/** Values for one field of one operation. */
const BY_OPERATION: Record<string, Make> = {
  'DELETE /users/me confirmPhrase': ({ random }) => random.pick(['delete my account', 'DELETE']),
  'POST /admin/users/{id}/role role': () => 'USER',
  'POST /auth/register-agent username': newName,
  'POST /agents/register username': newName,
  'POST /api/v1/service-accounts/agents/self-register username': newName,
  'POST /organizations slug': making =>
    `${canary(making.tag, 'POST /organizations slug')}-${making.random.below(1e6)}`,
  'POST /a2a jsonrpc': () => '2.0',
  'POST /a2a method': making => method(making),
  'POST /a2a params': making => params(making),
  'POST /a2a/agents/{agentId} jsonrpc': () => '2.0',
  'POST /a2a/agents/{agentId} method': making => method(making),
  'POST /a2a/agents/{agentId} params': making => params(making),
  'POST /sandbox/processor/events type': making => eventType(making),
  'POST /sandbox/processor/events data': making => ({ object: eventObject(making) }),
  'POST /v1/embeddings model': ({ random }) =>
    random.pick(['text-embedding-3-small', 'gemini-embedding-001']),
  'POST /v1/embeddings input': making => canary(making.tag, 'POST /v1/embeddings input'),
  'POST /mfa/enable token': making => totpOf(making),
  'POST /mfa/disable token': making => totpOf(making),
  'POST /auth/login/mfa totpCode': making => totpOf(making),
  'POST /ap2/respond status': ({ random }) =>
    random.pick(['ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'COUNTERED', 'REJECTED']),
  'POST /ap2/respond action': ({ random }) =>
    random.pick(['accept', 'accept', 'accept', 'counter', 'reject']),
  'POST /payments/ap2/release acceptUnverified': () => true,
  'POST /payments/ap2/initiate rail': ({ random }) => random.pick(['wallet', 'card', 'card', 'x402']),
  'POST /agents/{id}/runs/{runId}/result status': ({ random }) =>
    random.pick(['RUNNING', 'SUCCEEDED', 'SUCCEEDED', 'FAILED']),
  'POST /admin/agents/{id}/suspend reason': ({ tag }) =>
    canary(tag, 'POST /admin/agents/{id}/suspend reason'),
  'POST /sandbox/providers/{provider}/faults delayMs': () => 10,
  // Without those that hang: a call takes ten minutes then.
  'POST /sandbox/providers/{provider}/faults kind': ({ random }) =>
    random.pick([
      'rate_limited',
      'server_error',
      'unavailable',
      'cut_mid_stream',
      'malformed_chunk',
      'empty',
      'reset',
    ]),
}
const WEBHOOKS = /^POST \/webhooks\/payment-processor\//

const method: Make = ({ random }) =>
  random.pick([
    'message/send',
    'message/send',
    'message/stream',
    'tasks/get',
    'tasks/cancel',
    'tasks/resubscribe',
  ])
const params: Make = making =>
  making.random.chance(0.5)
    ? {
        message: message(making),
        metadata: {
          agentId: making.identifier('agent'),
          agentSlug: making.identifier('agentSlug'),
          budget: 2,
        },
      }
    : { id: making.identifier('negotiation') }
const totpOf: Make = making => {
  const secret = making.identifier('totpSecret')
  return typeof secret === 'string' ? totp(secret) : '000000'
}
const eventType: Make = ({ random }) =>
  random.pick([
    'payment_intent.succeeded',
    'payment_intent.payment_failed',
    'checkout.session.completed',
    'checkout.session.expired',
    'account.updated',
    'payout.paid',
    'payout.failed',
    'transfer.created',
    'transfer.reversed',
    'charge.dispute.created',
    'charge.refunded',
  ])
const eventObject: Make = making => ({
  id: making.random.pick([making.identifier('paymentIntent'), making.identifier('checkout'), 'pi_unknown']),
  object: making.random.pick(['payment_intent', 'checkout.session', 'payout', 'transfer', 'account']),
  amount: making.random.pick([100, 1000, -1]),
  currency: 'usd',
  metadata: making.random.pick([{}, { walletId: making.identifier('wallet') }]),
})

/** The value of a field that its schema alone does not describe; undefined for all others. */
export function named(making: Making, field: string): unknown {
  const { name } = making.operation
  if (WEBHOOKS.test(name)) {
    if (field === 'type') return eventType(making)
    if (field === 'data.object') return eventObject(making)
  }
  const own = BY_OPERATION[`${name} ${field}`]
  if (own) return own(making)
  return (BY_NAME[field] ?? BY_NAME[field.split('.').at(-1) ?? ''])?.(making)
}
