import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import { registerHuman, startTestService, type TestService } from '#test'
import { canonicalJson, documentKeysOf, signText } from './index.ts'

interface KeySet {
  keys: { kid: string; x: string; kty: string; crv: string }[]
}

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const published = async () => (await service.http<KeySet>('GET', '/.well-known/jwks.json')).body.keys
const keys = () => documentKeysOf(service.services)
const activeKid = () => keys().active(service.services.clock.now()).kid
const rotate = (token: string) =>
  service.http<{ signsFrom: string }>('POST', '/admin/signing-keys/rotate', { token })

test('canonical JSON sorts keys by UTF-16 and writes numbers as RFC 8785 says', () => {
  assert.equal(
    canonicalJson({ b: [1e21, 0.1, -0], a: { '\u20ac': 1, '\r': 2, '1': 'é"' } }),
    '{"a":{"\\r":2,"1":"é\\"","\u20ac":1},"b":[1e+21,0.1,0]}',
  )
})

test('a signed text verifies with the key set alone', async () => {
  const key = keys().active(service.services.clock.now())
  const jws = signText(key, 'test+jws', canonicalJson({ b: 1, a: 2 }))
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  const jwk = (await published()).find(each => each.kid === kid)
  assert.ok(jwk)
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const verifies = (text: string) =>
    verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'))
  assert.equal(Buffer.from(payload, 'base64url').toString(), '{"a":2,"b":1}')
  assert.deepEqual([verifies(`${header}.${payload}`), verifies(`${header}.${payload}x`)], [true, false])
})

test('a new key is published before it signs, and the old one stays for 25 hours', async () => {
  const old = activeKid()
  assert.equal((await rotate((await registerHuman(service)).token)).status, 403)
  const admin = await service.adminToken()
  const [first, second] = [await rotate(admin), await rotate(admin)]
  assert.deepEqual([first.status, second.body], [200, first.body], 'the second changes nothing')
  await keys().refresh()
  assert.equal(activeKid(), old)
  assert.equal((await published()).length, 3, 'access tokens, old, new')
  await service.advance(601)
  assert.notEqual(activeKid(), old)
  await service.advance(24 * 3600)
  assert.ok((await published()).some(key => key.kid === old))
  await service.advance(2 * 3600)
  assert.deepEqual(
    (await published()).map(key => key.kid === old),
    [false, false],
  )
  assert.ok(keys().find(old), 'an expired document is still known to be ours')
})

test('keys are rotated every 90 days', async () => {
  const before = activeKid()
  await service.advance(91 * 24 * 3600)
  await keys().refresh()
  await service.advance(601)
  assert.notEqual(activeKid(), before)
})
