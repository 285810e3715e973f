import { after, before, mock, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { registerHuman, sharedService, type Person, type TestService } from '#test'
import { tokensOf } from './token.ts'

type Claims = Record<string, string | number | undefined>
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims

/** Every claim of an access token is checked: tokens that differ from a valid one in a single claim are refused. */
suite('access tokens made by hand', () => {
  let service: TestService
  let person: Person
  let key: KeyObject
  before(async () => {
    service = await sharedService()
    person = await registerHuman(service)
    const { secrets, db } = service.services
    key = createPrivateKey(await secrets.stored(db, 'identity/token-key', () => ''))
  })
  after(() => service.close())

  const me = async (token: string) => (await service.http('GET', '/users/me', { token })).status
  const header = () => decoded(person.token.split('.')[0])
  const claims = () => decoded(person.token.split('.')[1])
  const signed = (head: Claims, body: Claims, by = key) => {
    const text = `${encoded(head)}.${encoded(body)}`
    return `${text}.${sign(null, Buffer.from(text), by).toString('base64url')}`
  }
  const withHmac = (secret: string | Buffer) => {
    const text = `${encoded({ ...header(), alg: 'HS256' })}.${encoded(claims())}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  test('accepts a token with the right claims, the control for the refusals below', async () => {
    assert.equal(await me(signed(header(), claims())), 200)
    const past = Math.floor(Date.now() / 1000) - 1
    for (const [what, head, body] of [
      ['another audience', {}, { aud: 'another-service' }],
      ['no audience', {}, { aud: undefined }],
      ['another type', { typ: 'mfa+jwt' }, {}],
      ['a plain JWT', { typ: 'JWT' }, {}],
      ['no type', { typ: undefined }, {}],
      ['its end in the past', {}, { exp: past }],
      ['no end', {}, { exp: undefined }],
      ['no account', {}, { sub: undefined }],
      ['no session', {}, { sid: undefined }],
    ] as const)
      assert.equal(await me(signed({ ...header(), ...head }, { ...claims(), ...body })), 401, what)
  })

  test('rejects another key or algorithm, also the public key as an HMAC secret', async () => {
    const { keys } = (await service.http<{ keys: { x: string }[] }>('GET', '/.well-known/jwks.json')).body
    const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' })
    const foreign = generateKeyPairSync('ed25519').privateKey
    assert.equal(await me(signed(header(), claims(), foreign)), 401)
    for (const secret of [pem, Buffer.from(keys[0]?.x ?? '', 'base64url'), ''])
      assert.equal(await me(withHmac(secret)), 401)
    const [, payload] = person.token.split('.')
    for (const alg of ['none', 'None', 'NONE'])
      assert.equal(await me(`${encoded({ ...header(), alg })}.${payload}.`), 401)
  })

  test('refused tokens take no memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const tokens = await tokensOf(service.services)
    const heapAfter = (calls: number): number => {
      for (let call = 0; call < calls; call++)
        assert.throws(() =>
          tokens.verify(
            'access',
            `${encoded(header())}.${encoded({ ...claims(), jti: call, filler: 'x'.repeat(2000) })}.${'A'.repeat(86)}`,
          ),
        )
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = heapAfter(200)
    const growth = heapAfter(3000) - before
    assert.ok(growth < 4_000_000, `${growth} bytes`)
  })

  test('a token that was taken before ends after its fifteen minutes all the same', async () => {
    assert.equal(await me(person.token), 200)
    const end = Number(claims().exp) * 1000
    try {
      mock.timers.enable({ apis: ['Date'], now: end - 1500 })
      assert.equal(await me(person.token), 200)
      mock.timers.setTime(end + 1000)
      assert.equal(await me(person.token), 401)
    } finally {
      mock.timers.reset()
    }
  })
})
