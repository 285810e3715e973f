import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import {
  AffiliateTrial,
  fund,
  mailsSettled,
  mailsTo,
  publishAgent,
  startTestService,
  type Market,
  type TestService,
} from '#test'
import { endMonth } from './month.ts'

const DAY = 86_400

interface Plan {
  rateBps: number
  level2Bps: number | null
  holdDays: number
  customPlan: boolean
}

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

  const share = async (market: Market, earner: Earner, level: number) => {
    const { escrowId } = await trial.delivered(market)
    await trial.release(market, { escrowId })
    const earned = await trial.commissions(earner)
    return earned.find(row => row.escrowId === escrowId && row.level === level)?.amount
  }

  test('decides the rate of level 2 that no plan sets', async () => {
    const above = await affiliateOfTwo()
    const market = await trial.market(await trial.affiliate(above))
    assert.equal(await share(market, above, 2), undefined)
    await trial.decide(`/affiliates/admin/${above.profileId}/commission-plan`, { rateBps: 2200 })
    assert.equal(await share(market, above, 2), undefined)
    await buy(await trial.market(above), 10)
    await service.advance(32 * DAY)
    assert.equal(await tierOf(above), 'BUILDER')
    assert.equal(await share(market, above, 2), '1.00')
  })

  test('sets no rate that an admin set, until the admin returns to those of the tier', async () => {
    const earner = await trial.affiliate()
    const path = `/affiliates/admin/${earner.profileId}/commission-plan`
    const set = async (body: object) => {
      const { rateBps, level2Bps, holdDays, customPlan } = await trial.decide<Plan>(path, body)
      return [rateBps, level2Bps, holdDays, customPlan]
    }
    assert.deepEqual(await set({ holdDays: 14 }), [2000, null, 14, false])
    assert.deepEqual(await set({ level2Bps: 1000 }), [2000, 1000, 14, true])
    await service.advance(32 * DAY)
    assert.deepEqual(await set({}), [2000, 1000, 14, true])
    assert.deepEqual(await set({ rateBps: 2200, level2Bps: null }), [2200, null, 14, true])
    assert.deepEqual(await set({ customPlan: false, holdDays: 7 }), [2000, 0, 7, false])
    const both = { customPlan: false, rateBps: 2200 }
    assert.equal((await service.http('POST', path, { token: trial.admin, body: both })).status, 400)
  })

  test('two processes that find the same month ended send one statement', async () => {
    const earner = await trial.affiliate()
    await buy(await trial.market(earner), 10)
    const { db, clock } = service.services
    await db.run(sql`
      update affiliates_profile set month_ends_at = ${clock.now()} where id = ${earner.profileId}`)
    // Both have selected the row before either has served it.
    for (const _process of [1, 2])
      await db.transaction(tx => endMonth(service.services, tx, earner.profileId))
    await mailsSettled(service)
    const mails = await mailsTo(service, earner.email)
    assert.equal(mails.filter(({ subject }) => subject.endsWith('Your affiliate statement')).length, 1)
  })
})
