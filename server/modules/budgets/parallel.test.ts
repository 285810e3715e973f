import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { acceptedDeal, BudgetTrial, refusalOf, sharedService, type TestService } from '#test'

suite('parallel payments of an organization', () => {
  let service: TestService
  let trial: BudgetTrial
  before(async () => {
    service = await sharedService()
    trial = await BudgetTrial.open(service)
  })
  after(() => service.close())
  beforeEach(() => trial.begin())

  test('exactly as many of 40 parallel payments of all kinds succeed as the budget allows', async () => {
    await trial.setPolicy({ monthlyLimit: 100 })
    const deals = await Promise.all(
      Array.from({ length: 8 }, () => acceptedDeal(trial.market, { budget: 10 })),
    )
    const times = (way: (place: number) => ReturnType<BudgetTrial['transfer']>) =>
      Array.from({ length: 8 }, (_, place) => way(place))
    const answers = await Promise.all([
      ...times(() => trial.transfer(10)),
      ...times(() => trial.voucher(10, trial.owner)),
      ...times(() => trial.pay(10)),
      ...times(() => trial.run(10, trial.owner)),
      ...times(place => trial.fundDeal(deals[place]?.id ?? '')),
    ])
    assert.equal(answers.filter(({ status }) => status === 201).length, 10)
    assert.deepEqual(
      [...new Set(answers.filter(({ status }) => status !== 201).map(each => refusalOf(each).join()))],
      ['403,ORGANIZATION_BUDGET_EXCEEDED'],
    )
    assert.equal((await trial.readPolicy()).spentThisPeriod, '100.00')
  })

  test('exactly as many parallel payments of two members succeed as each budget allows', async () => {
    await trial.setBudget(trial.admin.id, 30)
    await trial.setBudget(trial.owner.id, 50)
    const answers = await Promise.all(
      [trial.admin, trial.owner].flatMap(by => Array.from({ length: 12 }, () => trial.transfer(10, by))),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 8)
    assert.deepEqual([await trial.spentBy(trial.admin), await trial.spentBy(trial.owner)], ['30.00', '50.00'])
  })

  test('parallel payments from two wallets of the organization do not block each other', async () => {
    await trial.setPolicy({ monthlyLimit: 200 })
    const second = await trial.secondWallet()
    const other = second
    assert.equal((await trial.send('POST', `/wallets/${other}/fund`, { amount: 1000 })).status, 201)
    const move = (from: string, toWalletId: string) =>
      trial.send('POST', `/wallets/${from}/transfer`, { toWalletId, amount: 10 }, trial.admin)
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => [
        move(trial.walletId, other),
        move(other, trial.walletId),
        move(trial.walletId, trial.market.outsider.walletId),
        move(other, trial.market.outsider.walletId),
      ]).flat(),
    )
    const codes = answers.filter(({ status }) => status !== 201).map(refusalOf)
    assert.deepEqual(
      codes,
      Array.from({ length: 4 }, () => [403, 'ORGANIZATION_BUDGET_EXCEEDED']),
    )
  })
})
