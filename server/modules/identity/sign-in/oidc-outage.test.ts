import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { freePort, startTestService } from '#test'

const LOGIN = '/auth/identity-provider/login'
const CALLBACK = '/auth/identity-provider/callback'

suite('an identity provider that is not there', () => {
  test('not configured it is a 400, not answering a 503', async () => {
    const plain = await startTestService()
    assert.equal((await plain.http('GET', LOGIN)).status, 400)
    assert.equal((await plain.http('GET', `${CALLBACK}?state=x&code=y`)).status, 400)
    await plain.close()
    const dead = await startTestService({
      OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
      OIDC_CLIENT_ID: 'a',
      OIDC_CLIENT_SECRET: 'b',
      LOG_LEVEL: 'silent',
    })
    assert.equal((await dead.http('GET', LOGIN)).status, 503)
    await dead.close()
  })
})
