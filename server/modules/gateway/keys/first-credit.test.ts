import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { registerHuman, sharedService, startTestService, type TestService } from '#test'

const creditsOf = async ({ services: { db } }: TestService, keyIds: readonly string[]) => {
  const text = `select key, reference->>'keyId' as key_id from ledger_journal
    where kind = 'routing_test_credit' and reference->>'keyId' = any($1)`
  return (await db.pool.query<{ key: string; key_id: string }>(text, [keyIds])).rows
}
const balanceOf = async ({ services: { db } }: TestService, account: string) => {
  const text = 'select balance from ledger_balance where account = $1'
  return (await db.pool.query<{ balance: string }>(text, [account])).rows.map(({ balance }) =>
    Number(balance),
  )
}

suite('the test credit of the first routing key', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  test('is 5 USD, once under 32 parallel requests', async () => {
    const { id, token } = await registerHuman(service)
    const create = async () => {
      const { status, body } = await service.http<{ id: string }>('POST', '/v1/auth/keys', { token })
      assert.equal(status, 201)
      return body.id
    }
    const ids = await Promise.all(Array.from({ length: 32 }, create))
    const credits = await creditsOf(service, ids)
    assert.equal(credits.length, 1)
    assert.equal(credits[0]?.key, `routing_test_credit/${credits[0]?.key_id}`)
    assert.deepEqual(await balanceOf(service, `2041:${id}`), [5_000_000])
  })

  test('does not come again after all keys are revoked', async () => {
    const { id, token } = await registerHuman(service)
    for (let round = 0; round < 3; round++) {
      const { body } = await service.http<{ id: string }>('POST', '/routing/keys', { token })
      await service.http('DELETE', `/v1/auth/keys/${body.id}`, { token })
    }
    assert.deepEqual(await balanceOf(service, `2041:${id}`), [5_000_000])
  })
})

test('production gives no test credit', async () => {
  const production = await startTestService({
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example.com',
    STRIPE_WEBHOOK_SECRET: 'whsec_3f1c3f1c3f1c3f1c3f1c3f1c3f1c',
    SMTP_URL: 'smtp://127.0.0.1:9',
    VERIFIER_ALLOW_PRIVATE: '',
  })
  try {
    const token = await production.adminToken()
    const { status, body } = await production.http<{ id: string }>('POST', '/v1/auth/keys', { token })
    assert.equal(status, 201)
    assert.deepEqual(await creditsOf(production, [body.id]), [])
  } finally {
    await production.close()
  }
})
