import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { freePort, startTestService, type TestService } from '#test'

const LOGIN = '/auth/identity-provider/login'
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The signature of the ID token is verified, although the token comes straight from the provider (ASVS 6.8.2). */
suite('the ID token of an identity provider', () => {
  const [good, other] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
  let service: TestService
  let server: Server
  let issuer: string
  /** What the next token is signed with, and for which nonce. */
  let next: { key: KeyObject; nonce: string; header?: object; claims?: object }
  before(async () => {
    const port = await freePort()
    issuer = `http://127.0.0.1:${port}`
    server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answers()[request.url ?? ''] ?? {}))
    }).listen(port, '127.0.0.1')
    service = await startTestService({
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'svc',
      OIDC_CLIENT_SECRET: 'a-client-secret-of-some-length',
      LOG_LEVEL: 'silent',
    })
  })
  after(async () => {
    await service.close()
    server.closeAllConnections()
    server.close()
  })

  const answers = (): Record<string, object> => ({
    '/.well-known/openid-configuration': {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    },
    '/other/.well-known/openid-configuration': {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    },
    '/jwks': {
      keys: [{ ...good?.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
    },
    '/token': { access_token: 'opaque', token_type: 'Bearer', id_token: next ? idToken() : '' },
  })
  function idToken(): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: 'svc',
      sub: 'ada',
      nonce: next.nonce,
      iat: now,
      exp: now + 60,
      ...next.claims,
    }
    const text = `${encode({ alg: 'RS256', kid: 'one', ...next.header })}.${encode(claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), next.key).toString('base64url')}`
  }
  async function signIn(
    key: KeyObject | undefined,
    { header, claims }: { header?: object; claims?: object } = {},
  ): Promise<URLSearchParams> {
    const begun = await service.http('GET', LOGIN)
    const { searchParams } = new URL(begun.headers.get('location') ?? '')
    assert.ok(key)
    next = { key, nonce: searchParams.get('nonce') ?? '', header, claims }
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const path = `/auth/identity-provider/callback?code=x&state=${searchParams.get('state')}&iss=${encodeURIComponent(issuer)}`
    const done = await service.http('GET', path, { headers: { cookie } })
    return new URLSearchParams(done.headers.get('location')?.split('#')[1])
  }

  test('signs in with the key of the provider', async () => {
    const answer = await signIn(good?.privateKey)
    assert.ok(answer.get('accessToken'), answer.toString())
  })

  test('is refused with another key, also one that it brings itself', async () => {
    for (const header of [{}, { jwk: other?.publicKey.export({ format: 'jwk' }) }]) {
      const answer = await signIn(other?.privateKey, { header })
      assert.deepEqual([answer.get('accessToken'), answer.get('error')], [null, 'SIGN_IN_FAILED'])
    }
  })

  test('is refused for another audience, issuer, nonce or time, and without a signature', async () => {
    const past = Math.floor(Date.now() / 1000) - 3600
    for (const claims of [
      { aud: 'another-client' },
      { iss: 'https://other.example' },
      { nonce: 'of-another-sign-in' },
      { exp: past, iat: past - 60 },
    ]) {
      const answer = await signIn(good?.privateKey, { claims })
      assert.deepEqual(
        [answer.get('accessToken'), answer.get('error')],
        [null, 'SIGN_IN_FAILED'],
        JSON.stringify(claims),
      )
    }
    const unsigned = await signIn(good?.privateKey, { header: { alg: 'none' } })
    assert.deepEqual([unsigned.get('accessToken'), unsigned.get('error')], [null, 'SIGN_IN_FAILED'])
  })

  test('metadata of another issuer than the configured one starts no sign-in', async () => {
    const confused = await service.instance({
      OIDC_ISSUER: `${issuer}/other`,
      OIDC_CLIENT_ID: 'svc',
      OIDC_CLIENT_SECRET: 'a-client-secret-of-some-length',
      LOG_LEVEL: 'silent',
    })
    const { status, headers } = await confused.http('GET', LOGIN)
    await confused.close()
    assert.ok(status >= 400 || !headers.get('location')?.startsWith(issuer), `${status}`)
  })
})
