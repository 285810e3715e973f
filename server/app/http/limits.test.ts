import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { signatureHeader } from '../../modules/payments/processors/signature.ts'
import { newId } from '#platform/kernel/id'
import { registerHuman, startTestService, statementsOf, type Person, type TestService } from '#test'
import { makeKey } from '../../modules/identity/credentials/key.ts'

/** General limits as production mode has them, behind a proxy that is trusted. */
suite('limits in production mode', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
      SMTP_URL: 'smtp://127.0.0.1:9',
      VERIFIER_ALLOW_PRIVATE: '',
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'silent',
    })
  })
  after(() => service.close())

  const get = (path: string, forwarded: string, token?: string) =>
    service.http('GET', path, { token, headers: { 'x-forwarded-for': forwarded } })
  const limitOf = ({ headers }: { headers: Headers }) => [
    headers.get('ratelimit-policy'),
    /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1],
  ]

  test('allows 600 requests a minute per address, behind a trusted proxy too', async () => {
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.1')), ['"ip";q=600;w=60', '599'])
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.2')), ['"ip";q=600;w=60', '599'])
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.1')), ['"ip";q=600;w=60', '598'])
  })

  test('of several forwarded addresses only that one counts which the proxy itself saw', async () => {
    const path = '/auth/check-username?username=someone'
    for (let call = 0; call < 20; call++)
      assert.equal((await get(path, `198.51.100.${call}, 203.0.113.3`)).status, 200)
    assert.equal((await get(path, '198.51.100.20, 203.0.113.3')).status, 429)
    assert.equal((await get(path, '203.0.113.4')).status, 200)
  })

  test('an account has 3000 of its own, wherever it calls from', async () => {
    const [one, other] = [await registerHuman(service), await registerHuman(service)]
    const [, before] = limitOf(await get('/users/me', '203.0.113.5', one.token))
    const elsewhere = async ({ token }: Person) => limitOf(await get('/users/me', '203.0.113.6', token))
    assert.deepEqual(await elsewhere(one), ['"user";q=3000;w=60', String(Number(before) - 1)])
    assert.deepEqual(await elsewhere(other), ['"user";q=3000;w=60', before])
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.5')), ['"ip";q=600;w=60', '599'])
  })

  test('sign-ins and refused credentials have limits of their own for each address', async () => {
    const from = { 'x-forwarded-for': '203.0.113.8' }
    const login = await service.http('POST', '/auth/login', {
      headers: from,
      body: { email: 'unknown@example.com', password: 'long enough' },
    })
    assert.deepEqual([login.status, ...limitOf(login)], [401, '"sign-in";q=60;w=60', '59'])
    for (let call = 1; call < 60; call++)
      assert.equal((await get('/wallets/my-agents', '203.0.113.8', makeKey('sk').text)).status, 401)
    const refused = await get('/wallets/my-agents', '203.0.113.8', makeKey('sk').text)
    assert.deepEqual([refused.status, limitOf(refused)[0]], [429, '"failed-credentials";q=60;w=60'])
    assert.equal((await get('/wallets/my-agents', '203.0.113.9', makeKey('sk').text)).status, 401)
  })

  test('routes with a limit of their own, probes and webhooks do not count', async () => {
    const from = '203.0.113.7'
    const [own] = limitOf(await get('/auth/check-username?username=someone', from))
    assert.equal(own, '"check-username";q=20;w=60')
    assert.deepEqual(limitOf(await get('/healthz', from)), [null, undefined])
    const headers = { 'x-forwarded-for': from }
    const hook = await service.http('POST', '/webhooks/payment-processor/payment-intent', {
      body: {},
      headers,
    })
    assert.deepEqual(limitOf(hook), [null, undefined])
    assert.deepEqual(limitOf(await get('/agents', from)), ['"ip";q=600;w=60', '599'])
  })
})

/** Small limits, so that a few calls reach them. */
suite('limits of an address', () => {
  const SECRET = 'whsec_of_the_limits'
  const [FAILED, SIGN_INS] = [6, 4]
  let service: TestService
  before(async () => {
    service = await startTestService({
      TRUSTED_PROXIES: '127.0.0.1',
      PROCESSOR_WEBHOOK_SECRET: SECRET,
      RATE_LIMIT_IP_PER_MIN: '10',
      RATE_LIMIT_FAILED_PER_MIN: String(FAILED),
      RATE_LIMIT_SIGN_IN_PER_MIN: String(SIGN_INS),
      LOG_LEVEL: 'silent',
    })
  })
  after(() => service.close())

  let addresses = 0
  const address = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })
  const statuses = async (calls: number, ask: () => Promise<{ status: number }>): Promise<number[]> => {
    const found = []
    for (let call = 0; call < calls; call++) found.push((await ask()).status)
    return found
  }

  test('after its refused credentials an address is 429 without a look into the database', async () => {
    const headers = address()
    const guess = () => service.http('GET', '/wallets/my-agents', { headers, token: makeKey('sk').text })
    assert.deepEqual(
      await statuses(FAILED, guess),
      Array.from({ length: FAILED }, () => 401),
    )
    assert.deepEqual(
      await statementsOf(service, /platform_limit|identity_(?!approval)/, async () =>
        assert.deepEqual(await statuses(3, guess), [429, 429, 429]),
      ),
      [],
    )
    const limited = await guess()
    assert.ok(Number(limited.headers.get('retry-after')) >= 1)
  })

  test('a malformed token, a wrong kind of credential and a key of nobody are refused credentials alike', async () => {
    const headers = address()
    const ask = (token: string) => service.http('GET', '/wallets/my-agents', { headers, token })
    for (let round = 0; round < FAILED / 3; round++) {
      for (const token of ['not.a.token', makeKey('rk').text, makeKey('sk').text])
        assert.ok([400, 401].includes((await ask(token)).status))
    }
    assert.equal((await ask('not.a.token')).status, 429)
  })

  test('a client that was accepted from the address is not locked out by another one behind it', async () => {
    const headers = address()
    const [one, other] = [await registerHuman(service, address()), await registerHuman(service, address())]
    const me = ({ token }: Person) => service.http('GET', '/users/me', { headers, token })
    assert.equal((await me(one)).status, 200)
    await statuses(FAILED, () => service.http('GET', '/users/me', { headers, token: 'not.a.token' }))
    assert.deepEqual([(await me(one)).status, (await me(other)).status], [200, 429])
  })

  test('requests without a credential count for the address, whatever they ask for', async () => {
    for (const path of ['/users/me', '/agents', '/no/such/path']) {
      const headers = address()
      const asked = await statuses(11, () => service.http('GET', path, { headers }))
      assert.equal(asked.indexOf(429), 10, path)
    }
  })

  test('an access token lifts the limit from no sign-in, no registration and no public read', async () => {
    const { token, email } = await registerHuman(service, address())
    const headers = address()
    const login = () =>
      service.http('POST', '/auth/login', {
        headers,
        token,
        body: { email, password: 'correct horse battery staple' },
      })
    assert.deepEqual(await statuses(SIGN_INS + 1, login), [
      ...Array.from({ length: SIGN_INS }, () => 200),
      429,
    ])
    const register = {
      body: {
        email: `${newId()}@example.com`,
        displayName: 'Another',
        password: 'correct horse battery staple',
      },
      headers,
      token,
    }
    assert.equal((await service.http('POST', '/auth/register', register)).status, 429)
    const elsewhere = address()
    assert.equal(
      (await statuses(11, () => service.http('GET', '/agents', { headers: elsewhere, token }))).at(-1),
      429,
    )
  })

  test('wrong passwords count as refused credentials', async () => {
    const headers = address()
    const { token } = await registerHuman(service, address())
    await statuses(SIGN_INS, () =>
      service.http('POST', '/auth/login', {
        headers,
        body: { email: `${newId()}@example.com`, password: 'wrong' },
      }),
    )
    await statuses(FAILED - SIGN_INS, () =>
      service.http('POST', '/auth/refresh', { headers, body: { refreshToken: 'none' } }),
    )
    assert.equal(
      (await service.http('POST', '/auth/refresh', { headers, body: { refreshToken: 'none' } })).status,
      429,
    )
    assert.equal((await service.http('GET', '/users/me', { headers, token })).status, 429)
  })

  test('notifications with a wrong signature are limited, right ones from elsewhere are not', async () => {
    const path = '/webhooks/payment-processor/payment-intent'
    const event = { id: `evt_${newId()}`, type: 'something.else', data: { object: {} } }
    const wrong = address()
    const forged = () =>
      service.http('POST', path, {
        headers: { ...wrong, 'payment-processor-signature': signatureHeader('{}', 'other', new Date()) },
        body: event,
      })
    assert.deepEqual(await statuses(FAILED + 1, forged), [...Array.from({ length: FAILED }, () => 400), 429])
    const right = address()
    const signed = () =>
      service.http('POST', path, {
        headers: {
          ...right,
          'payment-processor-signature': signatureHeader(JSON.stringify(event), SECRET, new Date()),
        },
        body: event,
      })
    assert.deepEqual([...new Set(await statuses(20, signed))], [200])
  })

  test('a flood of probes asks the database a few times only', async () => {
    const asked = await statementsOf(service, /select 1/, () =>
      Promise.all(Array.from({ length: 200 }, () => service.http('GET', '/readyz'))),
    )
    assert.ok(asked.length <= 5, `${asked.length} queries`)
  })
})
