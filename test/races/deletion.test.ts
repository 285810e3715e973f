import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMarket, publishAgent, registerHuman, startTestService, type Market, type TestService } from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service)
})
after(() => service.close())

const ofDeletedAccounts = async (): Promise<number> => {
  const { rows } = await service.services.db.pool.query<{ open: number }>(`
    select count(*)::int as open from ap2_negotiation n join identity_account a on a.id in (n.buyer_account_id, n.seller_account_id)
    where a.status = 'DELETED' and n.status in ('PENDING', 'COUNTERED', 'ACCEPTED')`)
  return rows[0]?.open ?? -1
}

for (const side of ['buyer', 'seller'] as const) {
  test(`no negotiation stays open that was sent while the account of the ${side} was being deleted`, async () => {
    const leaving = await registerHuman(service)
    const agent = side === 'seller' ? await publishAgent(service, leaving) : market.agent
    const token = side === 'buyer' ? leaving.token : market.buyer.token
    const offer = { responderAgentId: agent.id, requestedService: 'x', budget: 1 }
    const [deleted, ...answers] = await Promise.all([
      service.http('DELETE', '/users/me', { token: leaving.token, body: {} }),
      ...Array.from({ length: 40 }, async (_, n) => {
        await sleep(n * 2)
        return service.http('POST', '/ap2/negotiate', { token, body: offer })
      }),
    ])
    assert.equal(deleted.status, 204, deleted.text)
    assert.deepEqual(answers.filter(({ status }) => status >= 500).map(({ text }) => text), [])
    assert.equal(await ofDeletedAccounts(), 0)
  })
}
