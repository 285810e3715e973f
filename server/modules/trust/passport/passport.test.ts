import assert from 'node:assert/strict'
import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { after, before, test } from 'node:test'
import { signing } from '#identity'
import { newId } from '#platform/kernel/id'
import {
  deliveredDeal,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { checkSignatures, type Passport } from './passport.ts'

const DAY = 24 * 3600

let service: TestService
let owner: Person
before(async () => {
  service = await startTestService()
  owner = await registerHuman(service)
})
after(() => service.close())

const passportOf = async ({ id }: { id: string }): Promise<Passport> => {
  const { status, body } = await service.http<Passport>('GET', `/agents/${id}/passport`)
  assert.equal(status, 200)
  return body
}
const verdict = async (passport: unknown) => {
  const { status, body } = await service.http<{ valid: boolean; reason: string }>(
    'POST',
    '/agents/passport/verify',
    { body: { passport } },
  )
  assert.equal(status, 200)
  assert.equal(body.valid, body.reason === 'ok')
  return body.reason
}
const newAgent = () => publishAgent(service, owner, { capabilities: ['übersetzen', 'release-notes'] })
const admin = async (path: string) =>
  assert.equal(
    (await service.http('POST', path, { token: await service.adminToken(), body: { reason: 'Fraud' } }))
      .status,
    200,
  )
const keys = () => signing.documentKeysOf(service.services)
const check = (passport: unknown) => checkSignatures(passport, kid => keys().find(kid))

test('a passport says what the agent is, for 24 hours, and verifies in both forms', async () => {
  const agent = await newAgent()
  const passport = await passportOf(agent)
  assert.deepEqual(
    [passport.agentId, passport.passportVersion, passport.issuer, passport.trust, passport.certifications],
    [
      agent.id,
      '1.0',
      service.services.publicUrl,
      { tier: 'UNVERIFIED', score: 0, completions: 0, disputes: 0, claimed: true },
      [],
    ],
  )
  assert.equal(Date.parse(passport.expiresAt) - Date.parse(passport.issuedAt), DAY * 1000)
  assert.equal(await verdict(passport), 'ok')
  const { body } = await service.http('POST', '/agents/passport/verify', { body: passport })
  assert.deepEqual(body, { valid: true, reason: 'ok' })
  assert.equal((await service.http('GET', `/agents/${newId()}/passport`)).status, 404)
  assert.equal((await service.http('POST', '/agents/passport/verify', { body: ['a list'] })).status, 400)
})

test('it verifies offline from the key set alone', async () => {
  const { signature, proof, ...content } = await passportOf(await newAgent())
  const { body } = await service.http<{ keys: { kid: string }[] }>('GET', '/.well-known/jwks.json')
  const [header = '', payload = '', mark = ''] = proof.jws.split('.')
  const jwk = body.keys.find(({ kid }) => kid === proof.kid)
  assert.ok(jwk)
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
    alg: 'EdDSA',
    kid: proof.kid,
    typ: 'passport+jws',
  })
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  assert.ok(
    verifySignature(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(mark, 'base64url')),
  )
  assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()), content)
  assert.equal(signature.kid, proof.kid)
})

test('each of 10,000 single-bit changes fails', async () => {
  const text = Buffer.from(JSON.stringify(await passportOf(await newAgent())))
  assert.equal(typeof check(JSON.parse(text.toString())), 'object', 'unchanged it verifies')
  const bits = text.length * 8
  let parsed = 0
  for (let change = 0; change < 10_000; change++) {
    // Spread over the whole text.
    const bit = Math.floor((change * bits) / 10_000)
    const changed = Buffer.from(text)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    let passport: unknown
    try {
      passport = JSON.parse(changed.toString())
    } catch {
      continue
    }
    parsed++
    assert.equal(
      typeof check(passport),
      'string',
      `bit ${bit}: ${changed.toString('latin1', (bit >> 3) - 20, (bit >> 3) + 5)}`,
    )
  }
  assert.ok(parsed > 5000, `only ${parsed} changes were JSON`)
})

test('a document that is changed, of another service or no passport at all is refused', async () => {
  const passport = await passportOf(await newAgent())
  const { proof, ...unproved } = passport
  for (const [presented, reason] of [
    [{ ...passport, trust: { ...passport.trust, score: 99 } }, 'bad_signature'],
    [{ ...passport, extra: true }, 'bad_signature'],
    [{ ...passport, signature: { ...passport.signature, extra: true } }, 'bad_signature'],
    [{ ...passport, signature: { ...passport.signature, kid: 'another' } }, 'bad_signature'],
    [{ ...passport, proof: { ...proof, jws: `${proof.jws}=` } }, 'bad_signature'],
    [unproved, 'malformed'],
    [{ ...passport, issuedAt: 'yesterday' }, 'malformed'],
    [{ ...passport, slug: '\ud800' }, 'malformed'],
    [{ ...passport, signature: { ...passport.signature, kid: '\ud800' } }, 'malformed'],
    [{}, 'malformed'],
    [[passport], 'malformed'],
    ['passport', 'malformed'],
    [null, 'malformed'],
  ] as const)
    assert.equal(await verdict(presented), reason, JSON.stringify(presented)?.slice(0, 80))
})

test('a passport of an agent that this service does not know is unknown_agent', async () => {
  const { signature, proof, ...content } = await passportOf(await newAgent())
  const key = keys().find(signature.kid)
  assert.ok(key)
  const text = signing.canonicalJson({ ...content, agentId: newId() })
  const forged = {
    ...(JSON.parse(text) as object),
    signature: { ...signature, value: signing.macOf(key, text) },
    proof: { ...proof, jws: signing.signText(key, 'passport+jws', text) },
  }
  assert.equal(await verdict(forged), 'unknown_agent')
})

test('revoked keys, suspension and archiving end a passport before its time', async () => {
  const [revoked, suspended, archived] = [await newAgent(), await newAgent(), await newAgent()]
  const old = await passportOf(revoked)
  await service.http('POST', `/agents/${revoked.id}/revoke-key`, { token: owner.token })
  assert.equal(await verdict(old), 'revoked')
  await service.advance(1)
  assert.equal(await verdict(await passportOf(revoked)), 'ok', 'one that is issued afterwards')

  const paused = await passportOf(suspended)
  await admin(`/admin/agents/${suspended.id}/suspend`)
  assert.equal(await verdict(paused), 'revoked')
  assert.equal((await service.http('GET', `/agents/${suspended.id}/passport`)).status, 409)
  await admin(`/admin/agents/${suspended.id}/reinstate`)
  assert.equal(await verdict(paused), 'ok')

  const person = await registerHuman(service)
  const owned = await publishAgent(service, person)
  const ofSuspended = await passportOf(owned)
  await admin(`/admin/users/${person.id}/suspend`)
  assert.equal(await verdict(ofSuspended), 'revoked')
  assert.equal((await service.http('GET', `/agents/${owned.id}/passport`)).status, 409)

  const last = await passportOf(archived)
  const archive = { token: owner.token, body: { status: 'ARCHIVED' } }
  assert.equal((await service.http('PATCH', `/agents/${archived.id}`, archive)).status, 200)
  assert.equal(await verdict(last), 'revoked')
})

test('svcscore and conduit show the same agent without a signature', async () => {
  const agent = await newAgent()
  const score = await service.http<{ presence: { freshness: string }; passportUrl: string; trust: object }>(
    'GET',
    `/v1/svcscore/score/${agent.id}`,
  )
  assert.deepEqual(
    [score.status, score.body.presence.freshness, score.body.passportUrl, score.body.trust],
    [
      200,
      'never',
      `${service.services.publicUrl}/agents/${agent.id}/passport`,
      { tier: 'UNVERIFIED', score: 0, completions: 0, claimed: true },
    ],
  )
  const conduit = await service.http<{ asOf: string }>('GET', `/conduit/agents/${agent.id}/passport`)
  const { asOf, ...rest } = conduit.body
  assert.ok(Date.parse(asOf) > 0)
  assert.deepEqual(rest, { agentId: agent.id, slug: agent.slug, trustTier: 'UNVERIFIED', trustScore: 0 })
})

test('a rotation of the keys leaves valid passports valid until they expire', async () => {
  const passport = await passportOf(await newAgent())
  await admin('/admin/signing-keys/rotate')
  await service.advance(601)
  await keys().refresh()
  const next = await passportOf(await newAgent())
  assert.notEqual(next.signature.kid, passport.signature.kid)
  assert.equal(await verdict(passport), 'ok')
  // Real time passes meanwhile.
  await service.advance(DAY - 660)
  assert.deepEqual([await verdict(passport), await verdict(next)], ['ok', 'ok'])
  await service.advance(120)
  assert.deepEqual([await verdict(passport), await verdict(next)], ['expired', 'ok'])
})

test('after a claim, a passport counts no disputes of the new owner, as it counts no completions', async () => {
  const market = await openMarket(service)
  const { body: made } = await service.http<{ agent_id: string; api_key: string; claim_url: string }>(
    'POST',
    '/agents/announce',
    { token: owner.token, body: { name: 'Soon claimed' } },
  )
  const id = made.agent_id
  assert.equal((await service.http('POST', `/agents/${id}/publish`, { token: owner.token })).status, 201)
  const bought = { ...market, agent: { ...market.agent, id, apiKey: made.api_key, owner } }
  const [paid, lost] = [await deliveredDeal(bought), await deliveredDeal(bought)]
  await must(bought, 'buyer', '/payments/ap2/release', { escrowId: paid.escrowId })
  await must(bought, 'buyer', `/payments/escrow/${lost.escrowId}/dispute`, { reason: 'late' })
  const decision = { outcome: 'REFUND', sellerAtFault: true, reason: 'late' }
  await must(bought, 'operator', `/payments/escrow/${lost.escrowId}/resolve`, decision)
  const counts = async () => {
    const { completions, disputes } = (await passportOf({ id })).trust
    return [completions, disputes]
  }
  assert.deepEqual(await counts(), [1, 1])
  const claim = `/agents/claim/${made.claim_url.split('/').at(-1)}`
  assert.equal((await service.http('POST', claim, { token: market.buyer.token })).status, 200)
  assert.deepEqual(await counts(), [0, 0])
})
