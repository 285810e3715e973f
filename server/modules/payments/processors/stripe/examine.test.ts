import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import { signatureError } from '../signature.ts'
import { StripeClient } from './client.ts'
import { examineStripe } from './examine.ts'

const SECRETS = ['whsec_of_the_account', 'whsec_of_connected_accounts']
const ALL = ['*']

/** Stripe and the running service in one. */
let server: Server
let url: string
let stripe: { livemode: boolean; currency: string; endpoints: object[]; accepts: string; date: string }
/** The secrets that the running service has. */
let running: string[]

before(async () => {
  server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const body = Buffer.concat((await request.toArray()) as Buffer[])
  const answer = (status: number, given: object) =>
    response
      .writeHead(status, { 'content-type': 'application/json', date: stripe.date })
      .end(JSON.stringify(given))
  if (request.url?.startsWith('/webhooks')) {
    const signature = String(request.headers['stripe-signature'])
    return answer(signatureError(signature, body, running, new Date()) ? 400 : 200, {})
  }
  if (request.headers.authorization !== `Bearer ${stripe.accepts}`)
    return answer(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } })
  if (request.url === '/v1/balance')
    return answer(200, { livemode: stripe.livemode, available: [{ currency: stripe.currency, amount: 0 }] })
  return answer(200, { object: 'list', data: stripe.endpoints, has_more: false })
}
after(() => {
  server.closeAllConnections()
  server.close()
})

const endpoint = (more: object = {}) => ({
  url: `${url}/webhooks/payment-processor/payment-intent`,
  status: 'enabled',
  enabled_events: ALL,
  ...more,
})
beforeEach(() => {
  running = SECRETS
  stripe = {
    livemode: true,
    currency: 'usd',
    endpoints: [endpoint()],
    accepts: 'sk_live_1',
    date: new Date().toUTCString(),
  }
})

const examine = (secretKey = 'sk_live_1') =>
  examineStripe(new StripeClient({ secretKey, apiUrl: url, publicUrl: url }), {
    publicUrl: url,
    secrets: SECRETS,
    isProduction: true,
    now: () => new Date(),
  })

test('finds nothing where the key, the clock, the endpoints and both secrets are right', async () => {
  const { right, findings } = await examine()
  assert.deepEqual([findings, right.length], [[], 5], right.join('\n'))
})

test('names the error of the network where Stripe cannot be reached', async () => {
  const nowhere = new StripeClient({ secretKey: 'sk_live_1', apiUrl: 'http://127.0.0.1:1', publicUrl: url })
  const going = { publicUrl: url, secrets: SECRETS, isProduction: true, now: () => new Date() }
  const { findings } = await examineStripe(nowhere, going)
  assert.match(findings.join(), /^Stripe at http:\/\/127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/)
})

test('names a key that is not accepted or of the other mode, and an account without USD', async () => {
  assert.match((await examine('sk_live_2')).findings.join(), /cannot be used: .*does not accept the key/)
  stripe.livemode = false
  stripe.currency = 'eur'
  assert.match((await examine()).findings.join('\n'), /test mode of Stripe\n.*settle in USD/)
})

test('names a clock that is off', async () => {
  stripe.date = new Date(Date.now() - 120_000).toUTCString()
  assert.match((await examine()).findings.join(), /the clock is 1[12]\d s ahead of that of Stripe/)
})

test('names a webhook that is missing, disabled, without events or with another secret', async () => {
  stripe.endpoints = [endpoint({ url: 'https://other.example/hook' })]
  assert.match((await examine()).findings.join(), /has no webhook endpoint/)
  stripe.endpoints = [endpoint({ status: 'disabled', enabled_events: ['payout.paid'] })]
  const { findings } = await examine()
  assert.match(findings.join('\n'), /is disabled at Stripe\n.*selected: payment_intent.succeeded/)
  assert.doesNotMatch(findings.join(), /payout\.paid/)
  stripe.endpoints = [endpoint()]
  running = SECRETS.slice(0, 1)
  assert.match((await examine()).findings.join(), /responds with 400 to an event signed with secret 2/)
})

test('names a service that does not run', async () => {
  const client = new StripeClient({ secretKey: 'sk_live_1', apiUrl: url, publicUrl: url })
  stripe.endpoints = []
  const { findings } = await examineStripe(client, {
    publicUrl: 'http://127.0.0.1:9',
    secrets: SECRETS.slice(0, 1),
    isProduction: true,
    now: () => new Date(),
  })
  assert.match(findings.join(), /cannot be reached from here/)
})
