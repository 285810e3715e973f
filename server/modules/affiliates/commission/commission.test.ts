import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  AffiliateTrial,
  as,
  ChargebackTrial,
  heldDeal,
  must,
  processorIdOf,
  openDispute,
  registerHuman,
  startTestService,
  type TestService,
} from '#test'

const DAY = 86_400

suite('commissions', () => {
  let service: TestService
  let trial: AffiliateTrial
  before(async () => {
    service = await startTestService()
    trial = new AffiliateTrial(service, await service.adminToken())
  })
  after(() => service.close())

  test('100 USD through an affiliate on Free: seller 80, platform 16, affiliate 4', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    const deal = await trial.delivered(market)
    assert.deepEqual((await trial.sums(earner)).expected, '4.00')
    const { fee, netToSeller, commission } = await trial.release(market, deal)
    assert.deepEqual([netToSeller, fee, commission], ['80.00', '20.00', '4.00'])
    const [row] = await trial.commissions(earner)
    assert.deepEqual([row?.status, row?.amount, row?.level, row?.source], ['PENDING', '4.00', 1, 'buyer'])
    assert.deepEqual(await trial.sums(earner), {
      expected: '0.00',
      pending: '4.00',
      available: '0.00',
      paid: '0.00',
    })
  })

  test('a commission is available after 30 days, and is paid once', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await trial.release(market, await trial.delivered(market))
    assert.equal((await trial.payOut(earner)).body.code, 'NO_COMMISSION_AVAILABLE')
    await service.advance(30 * DAY + 60)
    const { available, paid } = await trial.sums(earner)
    // The first of a month pays by itself.
    if (available === '4.00') {
      const answers = await Promise.all(Array.from({ length: 8 }, () => trial.payOut(earner)))
      assert.deepEqual(
        answers.map(({ status }) => status).sort((a, b) => a - b),
        [201, ...Array.from({ length: 7 }, () => 409)],
      )
    } else assert.equal(paid, '4.00')
    assert.equal(await trial.available(earner), '4.00')
  })

  test('the first of a month pays what is available, with a statement by mail', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await trial.release(market, await trial.delivered(market))
    await service.advance(62 * DAY)
    assert.equal(await trial.available(earner), '4.00')
    const mail = await service.http<{ items: { subject: string; text: string }[] }>(
      'GET',
      `/sandbox/mail?to=${encodeURIComponent(earner.email)}`,
      { token: trial.admin },
    )
    const statement = mail.body.items.find(({ text }) => text.includes('Paid to your wallet: 4.00 USD'))
    assert.match(statement?.subject ?? '', /Your affiliate statement$/)
  })

  test('partial releases sum to the commission of the whole', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    const deal = await trial.delivered(market)
    const parts = ['33.33', '33.33', '0.01']
    const earned: string[] = []
    for (const amount of parts) earned.push((await trial.release(market, deal, { amount })).commission)
    earned.push((await trial.release(market, deal)).commission)
    const rows = await trial.commissions(earner)
    assert.equal(rows.length, earned.filter(amount => amount !== '0.00').length)
    const sum = rows.reduce((total, { amount }) => total + Number(amount), 0)
    assert.equal(sum.toFixed(6), '4.000000')
    assert.deepEqual([...new Set(rows.map(({ status }) => status))], ['PENDING'])
  })

  test('a deal that ends without a verified release earns nothing', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner, 2000)
    const refunded = await trial.held(market)
    assert.equal((await trial.refund(market, refunded)).status, 201)
    const unverified = await trial.held(market)
    const { commission } = await trial.release(market, unverified, { acceptUnverified: true })
    assert.equal(commission, '0.00')
    const overdue = await trial.held(market, { deliverBy: new Date(Date.now() + 400 * DAY * 1000) })
    assert.equal((await trial.refund(market, overdue)).status, 201)
    const rows = await trial.commissions(earner)
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['CANCELLED', 'CANCELLED', 'CANCELLED'],
    )
  })

  test('a split after a dispute earns on the part that is released', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    const deal = await trial.delivered(market)
    await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, {
      reason: 'half of it is missing',
    })
    assert.equal((await trial.sums(earner)).expected, '4.00')
    await must(market, 'operator', `/payments/escrow/${deal.escrowId}/resolve`, {
      outcome: 'SPLIT',
      sellerBps: 5000,
      reason: 'half each',
    })
    const rows = await trial.commissions(earner)
    assert.ok(['PENDING', 'CANCELLED'].includes(rows[0]?.status ?? ''), JSON.stringify(rows))
    assert.equal(rows[0]?.status === 'PENDING' ? rows[0].amount : '2.00', '2.00')
  })

  test('an automatic release earns', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await trial.delivered(market)
    await service.advance(8 * DAY)
    assert.equal((await trial.commissions(earner))[0]?.status, 'PENDING')
  })

  test('test credit, a deal with oneself and a suspended affiliate earn nothing', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner, 1000)
    const suspended = await trial.delivered(market)
    await trial.decide(`/affiliates/admin/${earner.profileId}/suspend`, { reason: 'test' })
    assert.equal((await trial.release(market, suspended)).commission, '0.00')
    await trial.decide(`/affiliates/admin/${earner.profileId}/reactivate`)
    const credit = await service.http('POST', '/wallets/admin/test-credit', {
      token: trial.admin,
      body: { walletId: market.buyer.walletId, amount: 100, reason: 'test' },
    })
    assert.equal(credit.status, 201)
    const inTestCredit = await trial.delivered(market)
    assert.equal((await trial.release(market, inTestCredit)).commission, '0.00')
    assert.deepEqual(
      (await trial.commissions(earner)).map(({ status }) => status),
      ['CANCELLED'],
    )
  })

  test('level 2 earns beside the base, and both stay within 35 % of the fee', async () => {
    const above = await trial.affiliate(undefined, { level2Bps: 2000 })
    const earner = await trial.affiliate(above)
    const market = await trial.market(earner)
    const { commission, fee } = await trial.release(market, await trial.delivered(market))
    assert.deepEqual([fee, commission], ['20.00', '7.00'])
    assert.equal((await trial.commissions(earner))[0]?.amount, '4.00')
    const [second] = await trial.commissions(above)
    assert.deepEqual([second?.level, second?.amount], [2, '3.00'])
  })

  test('the agent that a deal names as its referrer wins over who brought the buyer', async () => {
    const [earner, named] = [await trial.affiliate(), await trial.affiliate()]
    const market = await trial.market(earner)
    const agent = await service.http<{ id: string }>('POST', '/agents', {
      token: named.token,
      body: { name: `Referrer ${named.code}`, description: 'Brings deals', categories: ['development'] },
    })
    assert.equal(agent.status, 201, agent.text)
    const deal = await trial.delivered(market, { referrerAgentId: agent.body.id })
    await trial.release(market, deal)
    assert.deepEqual(await trial.commissions(earner), [])
    assert.equal((await trial.commissions(named))[0]?.source, 'deal')
    const why = (token: string) =>
      service.http<{ attributions: { code: string; source: string }[] }>(
        'GET',
        `/affiliates/attribution?negotiationId=${deal.id}`,
        { token },
      )
    const { body } = await why(market.buyer.token)
    assert.deepEqual(
      body.attributions.map(({ code, source }) => [code, source]),
      [[named.code, 'deal']],
    )
    assert.equal((await why((await registerHuman(service)).token)).status, 404)
  })

  test('self-referral waits for an admin, who clears it or takes it back', async () => {
    const earner = await trial.affiliate()
    for (const verb of ['clear', 'confirm-fraud']) {
      const market = { ...(await trial.market(earner)), buyer: earner }
      const fund = { token: earner.token, body: { amount: 200 } }
      assert.equal((await service.http('POST', `/wallets/${earner.walletId}/fund`, fund)).status, 201)
      const seller = await service.http<{ id: string }>('GET', `/users/me`, {
        token: market.agent.owner.token,
      })
      assert.equal(seller.status, 200)
      const agent = await service.http<{ id: string }>('POST', '/agents', {
        token: earner.token,
        body: { name: `Own ${earner.code} ${verb}`, description: 'Own', categories: ['development'] },
      })
      const deal = await trial.delivered(market, { referrerAgentId: agent.body.id })
      await trial.release(market, deal)
      const held = (await trial.commissions(earner)).find(({ escrowId }) => escrowId === deal.escrowId)
      assert.deepEqual([held?.status, held?.fraudReason], ['FRAUD_HOLD', 'same owner'])
      const path = `/affiliates/admin/commissions/${held?.id}/${verb}`
      const decided = await trial.decide<{ status: string }>(path)
      assert.equal(decided.status, verb === 'clear' ? 'PENDING' : 'CLAWED_BACK')
      const twice = await service.http('POST', path, { token: trial.admin, body: {} })
      assert.equal(twice.status, 409)
    }
  })

  test('suspected fraud that nobody decides about is taken back after 90 days', async () => {
    const earner = await trial.affiliate()
    const market = { ...(await trial.market(earner)), buyer: earner }
    const fund = { token: earner.token, body: { amount: 200 } }
    assert.equal((await service.http('POST', `/wallets/${earner.walletId}/fund`, fund)).status, 201)
    const agent = await service.http<{ id: string }>('POST', '/agents', {
      token: earner.token,
      body: { name: `Own ${earner.code}`, description: 'Own', categories: ['development'] },
    })
    const deal = await trial.delivered(market, { referrerAgentId: agent.body.id })
    await trial.release(market, deal)
    await service.advance(91 * DAY)
    const rows = await trial.commissions(earner)
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['CLAWED_BACK'],
    )
  })

  test('a lost chargeback takes the commission back, before and after it was paid', async () => {
    const chargebacks = await ChargebackTrial.of(service)
    for (const days of [0, 31, 62]) {
      const earner = await trial.affiliate()
      const market = await trial.market(earner)
      const { escrowId } = await trial.deliveredByCard(market)
      await trial.release(market, { escrowId })
      if (days) await service.advance(days * DAY)
      const [before] = await trial.commissions(earner)
      const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, escrowId))
      await chargebacks.lose(disputeId)
      const [row] = await trial.commissions(earner)
      assert.deepEqual([row?.status, row?.clawedBack], ['CLAWED_BACK', '4.00'], before?.status)
    }
  })

  test('lists, filters and exports; admins see all of them', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await heldDeal(market)
    const own = (path: string, token = earner.token) =>
      service.http<{ items: { status: string }[] }>('GET', path, { token })
    assert.equal((await own('/affiliates/commissions?status=EXPECTED')).body.items.length, 1)
    assert.equal((await own('/affiliates/commissions?status=PAID')).body.items.length, 0)
    const csv = await own('/affiliates/commissions/csv')
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
    assert.deepEqual(csv.text.split('\r\n')[1]?.split(',').slice(3, 10), [
      '1',
      'buyer',
      '2000',
      'USD',
      '4.00',
      '0.00',
      'EXPECTED',
    ])
    const all = await own('/affiliates/admin/commissions?status=EXPECTED&limit=100', trial.admin)
    assert.ok(all.body.items.length > 0)
    const other = await registerHuman(service)
    for (const path of ['/affiliates/commissions', '/affiliates/commissions/csv'])
      assert.equal((await own(path, other.token)).status, 404)
    assert.equal((await trial.payOut(other)).status, 404)
    const nobody = `/affiliates/admin/commissions/${earner.id}/clear`
    assert.equal((await service.http('POST', nobody, { token: trial.admin, body: {} })).status, 404)
    assert.equal((await as(market, 'operator', '/affiliates/admin/commissions?status=NONE')).status, 400)
  })
})
