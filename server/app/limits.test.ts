import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { registerHuman, startTestService, type Person, type TestService } from '#test'

/** General limits as production mode has them, behind a proxy that is trusted. */
suite('limits in production mode', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      PROCESSOR_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
      SMTP_URL: 'smtp://127.0.0.1:9',
      VERIFIER_ALLOW_PRIVATE: '',
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'silent',
    })
  })
  after(() => service.close())

  const get = (path: string, forwarded: string, token?: string) =>
    service.http('GET', path, { token, headers: { 'x-forwarded-for': forwarded } })
  const limitOf = ({ headers }: { headers: Headers }) =>
    [headers.get('ratelimit-policy'), /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]]

  test('an address has 600 requests a minute, told apart by what the proxy says', async () => {
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.1')), ['"ip";q=600;w=60', '599'])
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.2')), ['"ip";q=600;w=60', '599'])
    assert.deepEqual(limitOf(await get('/agents', '203.0.113.1')), ['"ip";q=600;w=60', '598'])
  })

  test('of several forwarded addresses only that one counts which the proxy itself saw', async () => {
    const path = '/auth/check-username?username=someone'
    for (let call = 0; call < 20; call++) assert.equal((await get(path, `198.51.100.${call}, 203.0.113.3`)).status, 200)
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

  test('routes with a limit of their own, probes and webhooks do not count', async () => {
    const from = '203.0.113.7'
    const [own] = limitOf(await get('/auth/check-username?username=someone', from))
    assert.equal(own, '"check-username";q=20;w=60')
    assert.deepEqual(limitOf(await get('/healthz', from)), [null, undefined])
    const headers = { 'x-forwarded-for': from }
    const hook = await service.http('POST', '/webhooks/payment-processor/payment-intent', { body: {}, headers })
    assert.deepEqual(limitOf(hook), [null, undefined])
    assert.deepEqual(limitOf(await get('/agents', from)), ['"ip";q=600;w=60', '599'])
  })
})
