import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerHuman, startTestService } from '#test'

test('general limits: n calls pass, n+1 is told how long to wait; probes and signed-in callers count apart', async () => {
  const service = await startTestService({ RATE_LIMIT_IP_PER_MIN: '8', RATE_LIMIT_USER_PER_MIN: '12' })
  try {
    const person = await registerHuman(service)
    const before = await service.http('GET', '/agents')
    const left = Number(/r=(\d+)/.exec(before.headers.get('RateLimit') ?? '')?.[1])
    assert.equal(before.headers.get('RateLimit-Policy'), '"ip";q=8;w=60')
    for (let call = 0; call < left; call++) assert.equal((await service.http('GET', '/agents')).status, 200)
    const refused = await service.http<{ message: string; error: string }>('GET', '/agents')
    assert.deepEqual([refused.status, refused.body.error], [429, 'Too Many Requests'])
    assert.match(refused.body.message, /^Rate limit exceeded/)
    assert.ok(Number(refused.headers.get('Retry-After')) >= 1)
    assert.equal((await service.http('GET', '/healthz')).status, 200)
    const signedIn = await service.http('GET', '/agents', { token: person.token })
    assert.deepEqual([signedIn.status, signedIn.headers.get('RateLimit-Policy')], [200, '"user";q=12;w=60'])
  } finally {
    await service.close()
  }
})

test('in sandbox mode general limits are off unless they are set', async () => {
  const service = await startTestService()
  try {
    assert.equal((await service.http('GET', '/agents')).headers.get('RateLimit'), null)
  } finally {
    await service.close()
  }
})
