import { test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestService } from '#test'

test('over https the device cookie has the prefix __Host-, and is recognized by it', async t => {
  const service = await startTestService({ PUBLIC_URL: 'https://svc.example' })
  t.after(() => service.close())
  const email = 'device@example.com'
  const password = 'correct horse battery staple'
  const { headers } = await service.http('POST', '/auth/register', {
    body: { email, displayName: 'Ada', password },
  })
  const [cookie = ''] = headers.getSetCookie()
  assert.match(cookie, /^__Host-svc_device=[^;]+; .*Path=\/;/)
  assert.match(cookie, /; Secure/)
  await Promise.all(
    Array.from({ length: 11 }, () =>
      service.http('POST', '/auth/login', { body: { email, password: 'wrong' } }),
    ),
  )
  const login = (headers = {}) => service.http('POST', '/auth/login', { body: { email, password }, headers })
  assert.equal((await login()).status, 429)
  assert.equal((await login({ cookie: cookie.split(';')[0] })).status, 200)
})
