import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { BudgetTrial, joinOrganization, must, refusalOf, startTestService, type TestService } from '#test'
import { planOf } from '../../../test/support/database/plan.ts'
import { memberBudgets } from './sql.ts'

suite('policy and budgets of an organization', () => {
  let service: TestService
  let trial: BudgetTrial
  before(async () => {
    service = await startTestService()
    trial = await BudgetTrial.open(service)
  })
  after(() => service.close())
  beforeEach(() => trial.begin())

  test('has no limits at first, and is shown to every member', async () => {
    const { resetsOn, ...policy } = await trial.readPolicy()
    assert.deepEqual(policy, {
      currency: 'USD',
      perTransactionLimit: null,
      monthlyLimit: null,
      spentThisPeriod: '0.00',
      remaining: null,
      updatedAt: null,
    })
    assert.ok(new Date(resetsOn) > service.services.clock.now())
    assert.equal((await trial.transfer(30)).status, 201)
    assert.equal((await trial.readPolicy()).spentThisPeriod, '30.00')
    const { items, total } = await trial.budgets()
    assert.deepEqual(
      [total, items.map(({ userId, role, spentThisPeriod }) => [userId, role, spentThisPeriod])],
      [
        3,
        [
          [trial.owner.id, 'OWNER', '0.00'],
          [trial.admin.id, 'ADMIN', '30.00'],
          [trial.member.id, 'MEMBER', '0.00'],
        ],
      ],
    )
    for (const path of ['policy', 'budgets']) {
      assert.equal(
        (await trial.send('GET', `/organizations/${trial.slug}/${path}`, undefined, trial.member)).status,
        200,
      )
      assert.equal(
        (await trial.send('GET', `/organizations/${trial.slug}/${path}`, undefined, trial.market.outsider))
          .status,
        403,
      )
      assert.equal((await trial.send('GET', `/organizations/unknown-works/${path}`)).status, 404)
    }
  })

  test('sums up what the members spent once for all of them', async () => {
    const page = { limit: 100, offset: 0 }
    const plan = await planOf(service, memberBudgets(trial.organizationId, new Date(), page))
    assert.match(plan, /budgets_spend_organization/)
    assert.doesNotMatch(plan, /SubPlan/)
  })

  test('is changed by an OWNER alone, and each change is in the audit log', async () => {
    for (const by of [trial.admin, trial.member, trial.market.outsider]) {
      assert.equal((await trial.send('PUT', `/organizations/${trial.slug}/policy`, {}, by)).status, 403)
      assert.equal((await trial.setBudget(by.id, 5, by)).status, 403)
    }
    assert.equal((await trial.setBudget(trial.market.outsider.id, 5)).status, 404)
    assert.equal((await trial.setBudget('nobody', 5)).status, 404)
    for (const body of [{ monthlyLimit: -1 }, { perTransactionLimit: '1e3' }, { monthlyLimit: {} }])
      assert.equal((await trial.send('PUT', `/organizations/${trial.slug}/policy`, body)).status, 400)
    assert.equal(
      (await trial.send('PUT', `/organizations/${trial.slug}/budgets/${trial.admin.id}`, {})).status,
      400,
    )
    await trial.setPolicy({ monthlyLimit: 100, perTransactionLimit: '20.5' })
    // A mistyped name would remove both limits.
    for (const path of ['policy', `budgets/${trial.admin.id}`]) {
      const mistyped = { perTransaction: 10, monthlyLimit: 100 }
      const refused = await trial.send('PUT', `/organizations/${trial.slug}/${path}`, mistyped)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /unknown field perTransaction/)
    }
    const { monthlyLimit, perTransactionLimit, updatedAt } = await trial.readPolicy()
    assert.deepEqual([monthlyLimit, perTransactionLimit, updatedAt === null], ['100.00', '20.50', false])
    assert.equal((await trial.setBudget(trial.admin.id, 40)).body.monthlyLimit, '40.00')
    assert.equal((await trial.setBudget(trial.admin.id, null)).body.monthlyLimit, null)
    const token = await service.adminToken()
    const audit = await trial.send<{ items: { action: string; details: object }[] }>(
      'GET',
      `/admin/audit?targetId=${trial.organizationId}`,
      undefined,
      { token },
    )
    assert.deepEqual(
      audit.body.items
        .filter(({ action }) => /policy|budget/.test(action))
        .map(({ action, details }) => [action, details]),
      [
        ['organization.budget_set', { userId: trial.admin.id, from: '40.00', to: null }],
        ['organization.budget_set', { userId: trial.admin.id, from: null, to: '40.00' }],
        [
          'organization.policy_set',
          {
            from: { perTransactionLimit: null, monthlyLimit: null },
            to: { perTransactionLimit: '20.50', monthlyLimit: '100.00' },
          },
        ],
      ],
    )
  })

  test('limits each payment, the month of the organization, and that of the member', async () => {
    await trial.setPolicy({ perTransactionLimit: 50, monthlyLimit: 100 })
    await trial.setBudget(trial.admin.id, 60)
    const large = await trial.transfer(51)
    assert.deepEqual(refusalOf(large), [403, 'ORGANIZATION_PAYMENT_TOO_LARGE'])
    assert.equal((await trial.transfer(50)).status, 201)
    const own = await trial.transfer(11)
    assert.deepEqual(refusalOf(own), [403, 'MEMBER_BUDGET_EXCEEDED'])
    assert.equal(
      own.body.hint,
      '10.00 of 60.00 is left, and 11.00 is needed: lower the amount, or ask an OWNER to change your budget',
    )
    assert.deepEqual(own.body.details, { limit: '60.00', remaining: '10.00' })
    assert.equal((await trial.transfer(10)).status, 201)
    const all = await trial.transfer(41, trial.owner)
    assert.deepEqual(refusalOf(all), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
    assert.equal((await trial.transfer(40, trial.owner)).status, 201)
    assert.deepEqual(refusalOf(await trial.transfer(1, trial.owner)), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
    assert.equal((await trial.readPolicy()).remaining, '0.00')
    // A lower limit than what is spent already leaves nothing.
    await trial.setPolicy({ monthlyLimit: 10 })
    assert.equal((await trial.readPolicy()).remaining, '0.00')
    await trial.setPolicy({})
    assert.equal((await trial.transfer(100, trial.owner)).status, 201)
  })

  const WAYS: [string, (amount: number) => ReturnType<BudgetTrial['transfer']>][] = [
    ['a transfer', amount => trial.transfer(amount)],
    ['a voucher', amount => trial.voucher(amount)],
    ['a direct payment', amount => trial.pay(amount)],
    ['a run', amount => trial.run(amount)],
    ['an accepted deal', amount => trial.payDeal(amount)],
    ['a deal that a card pays', amount => trial.payDeal(amount, { rail: 'card' })],
  ]
  for (const [name, way] of WAYS)
    test(`counts ${name}`, async () => {
      await trial.setPolicy({ monthlyLimit: 30 })
      assert.deepEqual(refusalOf(await way(31)), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
      const paid = await way(30)
      assert.equal(paid.status, 201, paid.text)
      assert.deepEqual(refusalOf(await way(1)), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
      assert.equal((await trial.readPolicy()).spentThisPeriod, '30.00')
    })

  test('counts a plan that the wallet pays', async () => {
    await trial.setPolicy({ monthlyLimit: 58 })
    const subscribe = () =>
      trial.send('POST', '/subscriptions/checkout', { plan: 'PRO', walletId: trial.walletId }, trial.admin)
    assert.deepEqual(refusalOf(await subscribe()), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
    await trial.setPolicy({ monthlyLimit: 59 })
    const paid = await subscribe()
    assert.equal(paid.status, 201, paid.text)
    assert.equal(await trial.spentBy(trial.admin), '59.00')
  })

  test('does not count a transfer between wallets of the organization', async () => {
    await trial.setPolicy({ monthlyLimit: 0 })
    const second = await trial.secondWallet()
    const body = { toWalletId: second, amount: 50 }
    assert.equal(
      (await trial.send('POST', `/wallets/${trial.walletId}/transfer`, body, trial.admin)).status,
      201,
    )
    assert.deepEqual(refusalOf(await trial.transfer(1)), [403, 'ORGANIZATION_BUDGET_EXCEEDED'])
  })

  test('gives back what is refunded, cancelled or not funded', async () => {
    await trial.setPolicy({ monthlyLimit: 100 })
    const { body: paid } = await trial.payDeal(100)
    await must(trial.market, 'seller', `/payments/escrow/${paid.escrowId}/refund`, {})
    assert.equal(await trial.spentBy(trial.owner), '0.00')
    const { body: made } = await trial.voucher(100)
    assert.equal(
      (await trial.send('POST', `/wallet-vouchers/${made.id}/cancel`, undefined, trial.admin)).status,
      200,
    )
    assert.equal(await trial.spentBy(trial.admin), '0.00')
    assert.equal((await trial.payDeal(100, { rail: 'card' })).status, 201)
    assert.equal((await trial.readPolicy()).remaining, '0.00')
    await service.advance(2 * 3600)
    assert.equal((await trial.readPolicy()).remaining, '100.00')
  })

  test('covers a key of the organization, as its person', async () => {
    await trial.setBudget(trial.admin.id, 20)
    const body = {
      name: 'Bound',
      organizationId: trial.organizationId,
      scopes: ['agent:read', 'ap2:negotiate', 'ap2:execute'],
    }
    const made = await trial.send<{ apiKey: string }>('POST', '/api/v1/keys', body, trial.admin)
    const byKey = (amount: number) => trial.pay(amount, { token: made.body.apiKey })
    assert.equal((await byKey(15)).status, 201)
    assert.deepEqual(refusalOf(await byKey(6)), [403, 'MEMBER_BUDGET_EXCEEDED'])
    assert.deepEqual(refusalOf(await trial.transfer(6)), [403, 'MEMBER_BUDGET_EXCEEDED'])
  })

  test('ends with the membership, while what was spent stays counted', async () => {
    await trial.setPolicy({ monthlyLimit: 100 })
    await trial.setBudget(trial.admin.id, 60)
    assert.equal((await trial.transfer(60)).status, 201)
    assert.equal(
      (await trial.send('DELETE', `/organizations/${trial.slug}/members/${trial.admin.id}`)).status,
      204,
    )
    await joinOrganization(service, trial.owner, trial.admin, { slug: trial.slug, role: 'ADMIN' })
    assert.equal((await trial.readPolicy()).remaining, '40.00')
    assert.equal((await trial.transfer(40)).status, 201)
    assert.equal((await trial.setBudget(newId(), 5)).status, 404)
  })

  test('begins again with each month', async () => {
    await trial.setPolicy({ monthlyLimit: 100 })
    await trial.setBudget(trial.admin.id, 10)
    assert.equal((await trial.transfer(10)).status, 201)
    const { resetsOn } = await trial.readPolicy()
    const wait = (new Date(resetsOn).getTime() - service.services.clock.now().getTime()) / 1000
    await service.advance(Math.ceil(wait) + 1)
    assert.deepEqual(
      [(await trial.readPolicy()).spentThisPeriod, await trial.spentBy(trial.admin)],
      ['0.00', '0.00'],
    )
    assert.equal((await trial.transfer(10)).status, 201)
    assert.deepEqual(refusalOf(await trial.transfer(1)), [403, 'MEMBER_BUDGET_EXCEEDED'])
  })
})
