import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { AffiliateTrial, fund, publishAgent, startTestService, type Market, type TestService } from '#test'

const DAY = 86_400

suite('the tier of an affiliate', () => {
  let service: TestService
  let trial: AffiliateTrial
  before(async () => {
    service = await startTestService()
    trial = new AffiliateTrial(service, await service.adminToken())
  })
  after(() => service.close())

  type Earner = Awaited<ReturnType<AffiliateTrial['affiliate']>>

  const tierOf = async ({ token }: Earner) =>
    (await service.http<{ tier: string }>('GET', '/affiliates/me', { token })).body.tier

  async function buy(market: Market, budget: number): Promise<void> {
    await trial.release(market, await trial.delivered(market, { budget }))
  }

  /** Two referrals that count: the third begins the next tier. */
  async function affiliateOfTwo(): Promise<Earner> {
    const earner = await trial.affiliate()
    for (let n = 0; n < 2; n++) await buy(await trial.market(earner), 10)
    return earner
  }

  test('counts verified deals of 10 USD in sum, and none that can be had for nothing', async () => {
    const several = await affiliateOfTwo()
    const regular = await trial.market(several)
    for (let n = 0; n < 4; n++) await buy(regular, 2.5)

    const dust = await affiliateOfTwo()
    await buy(await trial.market(dust), 9.99)

    const unverified = await affiliateOfTwo()
    const trusting = await trial.market(unverified)
    await trial.release(trusting, await trial.held(trusting), { acceptUnverified: true })

    const alone = await affiliateOfTwo()
    const own = await trial.market(alone)
    await buy({ ...own, agent: await publishAgent(service, own.buyer) }, 100)

    const suspected = await affiliateOfTwo()
    const { buyer, ...rest } = await trial.market(suspected)
    await fund(service, suspected, 200)
    await buy({ ...rest, buyer: suspected, agent: await publishAgent(service, buyer) }, 100)

    await service.advance(32 * DAY)
    const tiers = await Promise.all([several, dust, unverified, alone, suspected].map(tierOf))
    assert.deepEqual(tiers, ['BUILDER', 'SCOUT', 'SCOUT', 'SCOUT', 'SCOUT'])
  })
})
