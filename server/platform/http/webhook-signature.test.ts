import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { isSignedWebhook, newWebhookSecret, signWebhook } from './webhook-signature.ts'

// The example of the specification (github.com/standard-webhooks/standard-webhooks).
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('signs a message as Standard Webhooks says', () => {
  assert.deepEqual(signWebhook(SECRET, MESSAGE), {
    'webhook-id': MESSAGE.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  })
})

test('accepts one good signature of several, and refuses another secret, body, id or time', () => {
  const headers = signWebhook(SECRET, MESSAGE)
  const at = MESSAGE.timestamp
  const several = { ...headers, 'webhook-signature': `v1,AAAA ${SIGNATURE}` }
  assert.equal(isSignedWebhook(SECRET, several, MESSAGE.body, at + 299), true)
  const refused: [string, Record<string, string | undefined>, string, number][] = [
    ['another secret of this test', headers, MESSAGE.body, at],
    [SECRET, headers, `${MESSAGE.body} `, at],
    [SECRET, { ...headers, 'webhook-id': 'msg_other' }, MESSAGE.body, at],
    [SECRET, { ...headers, 'webhook-timestamp': String(at + 1) }, MESSAGE.body, at],
    [SECRET, { ...headers, 'webhook-signature': undefined }, MESSAGE.body, at],
    [SECRET, { ...headers, 'webhook-timestamp': 'soon' }, MESSAGE.body, at],
    [SECRET, headers, MESSAGE.body, at + 301],
    [SECRET, headers, MESSAGE.body, at - 301],
  ]
  for (const [secret, given, body, now] of refused)
    assert.equal(isSignedWebhook(secret, given, body, now), false, JSON.stringify(given))
})

test('the official library verifies what is signed, with the old and the new secret', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const message = { id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body: '{"type":"deal.delivered"}' }
  const headers = signWebhook(secrets, message)
  for (const secret of secrets)
    assert.deepEqual(new Webhook(secret).verify(message.body, headers), { type: 'deal.delivered' })
  assert.throws(() => new Webhook(newWebhookSecret()).verify(message.body, headers))
})
