import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import { after, before, test } from 'node:test'
import canonicalize from 'canonicalize'
import { assertLinear, openMarket, publishAgent, sharedService, type Market, type TestService } from '#test'
import { openAgentEndpoint, type AgentEndpoint } from '../../../../test/support/service/agent-endpoint.ts'
import { ended, execute } from '../../../../test/support/people/runs.ts'
import { redact } from './redact.ts'

let service: TestService
let market: Market
let endpoint: AgentEndpoint
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
  endpoint = await openAgentEndpoint()
})
after(async () => {
  await endpoint.close()
  await service.close()
})

type Bundle = Record<string, unknown> & {
  manifest: Record<string, string>
  signature: { kid: string; jws: string }
  deliveryAttempts: { outcome: string; httpStatus: number }[]
  ledgerEntries: { kind: string; amount: string }[]
  timeline: { event: string }[]
  response: { output: unknown }
}

/** What anybody can check who has the bundle and the key set, and nothing else. */
function isGenuine(
  { manifest, signature, ...parts }: Bundle,
  keys: (JsonWebKey & { kid: string })[],
): boolean {
  const jwk = keys.find(({ kid }) => kid === signature.kid)
  const [header = '', payload = '', proof = ''] = signature.jws.split('.')
  if (!jwk || Buffer.from(payload, 'base64url').toString() !== canonicalize(manifest)) return false
  const hashes = Object.entries(parts).every(
    ([name, part]) =>
      manifest[name] ===
      createHash('sha256')
        .update(canonicalize(part) ?? '')
        .digest('hex'),
  )
  return (
    hashes &&
    Object.keys(manifest).length === Object.keys(parts).length &&
    verify(
      null,
      Buffer.from(`${header}.${payload}`),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(proof, 'base64url'),
    )
  )
}

test('the bundle of a run verifies offline from the key set, and no part can be changed', async () => {
  const agent = await publishAgent(service, market.agent.owner, {
    pricing: { model: 'fixed', amount: 5, currency: 'USD' },
    ap2Endpoint: endpoint.url,
  })
  endpoint.answer({
    status: 200,
    body: { output: { text: 'äö', n: 1.5, apiKey: 'do-not-show', list: [1e21, -0] } },
  })
  const { execution } = await execute(market, agent.id, { input: { question: 'why', token: 'hidden' } })
  await ended(market, execution.id)
  const path = `/agents/my-runs/${execution.id}/debug-bundle`
  const {
    status,
    body: bundle,
    text,
  } = await service.http<Bundle>('GET', path, { token: market.buyer.token })
  assert.equal(status, 200, text)
  const { keys } = (
    await service.http<{ keys: (JsonWebKey & { kid: string })[] }>('GET', '/.well-known/jwks.json')
  ).body
  assert.equal(isGenuine(bundle, keys), true)
  for (const name of Object.keys(bundle.manifest)) {
    const changed = { ...structuredClone(bundle), [name]: { changed: true } }
    assert.equal(isGenuine(changed, keys), false, name)
  }
  const other = {
    ...bundle,
    signature: { ...bundle.signature, jws: `${bundle.signature.jws.slice(0, -4)}AAAA` },
  }
  assert.equal(isGenuine(other, keys), false)
  assert.deepEqual(
    bundle.timeline.map(({ event }) => event),
    ['execute', 'start', 'succeed'],
  )
  assert.deepEqual(
    bundle.deliveryAttempts.map(({ outcome, httpStatus }) => [outcome, httpStatus]),
    [['SUCCEEDED', 200]],
  )
  assert.deepEqual(
    bundle.ledgerEntries.map(({ kind, amount }) => [kind, amount]),
    [
      ['ap2.hold', '5.00'],
      ['ap2.release', '4.00'],
      ['ap2.release', '1.00'],
    ],
  )
  assert.deepEqual(bundle.response.output, { text: 'äö', n: 1.5, apiKey: '[redacted]', list: [1e21, 0] })
  assert.equal(text.includes('hidden'), false)
})

test('no part of the bundle has a secret that the agent or the buyer wrote', async () => {
  const agent = await publishAgent(service, market.agent.owner, {
    pricing: { model: 'fixed', amount: 5, currency: 'USD' },
    ap2Endpoint: endpoint.url,
  })
  endpoint.answer({ status: 200, body: { status: 'FAILED', error: `no access with sk_${'a'.repeat(24)}` } })
  const jobReference = `ghp_${'b'.repeat(24)}`
  const { execution } = await execute(market, agent.id, { input: 'go', jobReference })
  const run = await ended(market, execution.id)
  assert.match(run.error?.message ?? '', /sk_a+$/)
  const path = `/agents/my-runs/${execution.id}/debug-bundle`
  const { status, text } = await service.http('GET', path, { token: market.buyer.token })
  assert.equal(status, 200, text)
  assert.match(text, /no access with \[redacted\]/)
  assert.doesNotMatch(text, /sk_a|ghp_b/)
})

test('secrets are redacted by name and by form', () => {
  assert.deepEqual(
    redact({
      a: [
        'Bearer eyJhbGciOiJF.eyJzdWIiOiIx.c2ln',
        'sk_0123456789abcdefghij',
        'eyJhbGciOiJF-sk_0123456789abcdefghij',
      ],
      Password: 'x',
      nested: { 'x-api-key': 1, plain: 'sky is blue, eyJhbGciOiJF' },
      none: null,
    }),
    {
      a: ['Bearer [redacted]', '[redacted]', 'eyJhbGciOiJF-[redacted]'],
      Password: '[redacted]',
      nested: { 'x-api-key': '[redacted]', plain: 'sky is blue, eyJhbGciOiJF' },
      none: null,
    },
  )
})

test('secrets are found in linear time', () => {
  for (const unit of ['eyJ-', 'eyJaaaaaaaa.', 'sk-', 'whsec_', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----'])
    assertLinear(unit, redact, unit, 40_000)
})
