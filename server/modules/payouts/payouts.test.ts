import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { accounts, balanceOf, freezeAccount, unfreezeAccount } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  connectBank,
  fund,
  mailTo,
  makeAdmin,
  PayoutTrial,
  registerHuman,
  startTestService,
  type Payout,
  type TestService,
} from '#test'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

suite('payouts of a person', () => {
  let service: TestService
  let admin: string
  let trial: PayoutTrial
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10', PAYOUT_REVIEW_USD: '100' })
    admin = await service.adminToken()
  })
  after(() => service.close())
  beforeEach(async () => {
    trial = new PayoutTrial(service, await registerHuman(service))
  })

  const atProcessor = () => balanceOf(service.services.db, accounts.processor, 'USD')

  test('reach the bank: REQUESTED, PENDING, IN_TRANSIT, PAID', async () => {
    await trial.ready(50)
    const before = await atProcessor()
    const answer = await trial.request({ amount: '25.00' })
    assert.deepEqual(
      [answer.status, answer.body.status, answer.body.amount, answer.body.completedAt],
      [201, 'REQUESTED', '25.00', null],
    )
    const { id, createdAt, sendAt } = answer.body
    assert.equal(Date.parse(sendAt ?? '') - Date.parse(createdAt), 10 * MINUTE * 1000)
    assert.match(answer.body.destination, /^acct_/)
    assert.deepEqual(await trial.wallet(), ['25.00', '25.00', '50.00'])
    await service.advance(9 * MINUTE)
    assert.equal(await trial.statusOf(id), 'REQUESTED')
    await trial.send(id)
    assert.equal(await trial.statusOf(id), 'PENDING')
    await service.advance(HOUR)
    assert.equal(await trial.statusOf(id), 'IN_TRANSIT')
    assert.deepEqual(
      [await trial.inTransit(id), await trial.wallet()],
      [25_000_000n, ['25.00', '25.00', '50.00']],
    )
    await service.advance(DAY)
    const paid = await trial.find(id)
    assert.deepEqual(
      [paid.status, paid.failureCode, paid.failureReason, paid.sendAt],
      ['PAID', null, null, null],
    )
    assert.ok(paid.completedAt)
    assert.deepEqual(
      [await trial.inTransit(id), (await atProcessor()) - before, await trial.wallet()],
      [0n, 25_000_000n, ['25.00', '0.00', '25.00']],
    )
    const { email } = trial.person
    assert.match((await mailTo(service, email, /was requested/)).text, new RegExp(`${id}/cancel`))
    await mailTo(service, email, /25\.00 USD has arrived/)
    assert.deepEqual(await trial.eventsOf(id), ['send', 'transmit', 'pay'])
  })

  test('that fail are in the wallet again', async () => {
    await trial.ready(30, '000111111116')
    const { body } = await trial.request({ amountCents: 3000 })
    await trial.send(body.id)
    const before = await atProcessor()
    await service.advance(HOUR + DAY)
    const failed = await trial.find(body.id)
    assert.deepEqual([failed.status, await trial.wallet()], ['FAILED', ['30.00', '0.00', '30.00']])
    assert.equal(failed.failureCode, 'NO_ACCOUNT')
    assert.match(failed.failureReason ?? '', /probably incorrect/)
    assert.equal(await atProcessor(), before)
    await mailTo(service, trial.person.email, /failed\. Reason: .* in your wallet again/)
  })

  test('that the bank returns after they were paid are in the wallet again', async () => {
    await trial.ready(30, '000999999991')
    const id = await trial.requested(30)
    await trial.send(id)
    const before = await atProcessor()
    await service.advance(HOUR + DAY + MINUTE)
    assert.deepEqual([await trial.statusOf(id), await trial.wallet()], ['PAID', ['0.00', '0.00', '0.00']])
    await service.advance(2 * DAY)
    assert.deepEqual(
      [await trial.statusOf(id), await trial.wallet()],
      ['RETURNED', ['30.00', '0.00', '30.00']],
    )
    assert.equal(await atProcessor(), before)
    await mailTo(service, trial.person.email, /bank returned the payout/)
    assert.deepEqual(await trial.eventsOf(id), ['send', 'transmit', 'pay', 'return'])
  })

  test('can be canceled until they are sent', async () => {
    await trial.ready(30)
    const other = await registerHuman(service)
    const id = await trial.requested(10)
    assert.deepEqual(
      [(await trial.cancel(id, other.token)).status, (await trial.cancel(newId())).status],
      [403, 404],
    )
    const canceled = await trial.cancel(id)
    assert.deepEqual(
      [canceled.status, canceled.body.status, await trial.wallet()],
      [200, 'CANCELED', ['30.00', '0.00', '30.00']],
    )
    const repeated = await trial.cancel(id)
    assert.deepEqual([repeated.status, repeated.body.message], [409, 'Cannot cancel while CANCELED'])
    const sent = await trial.requested(10)
    await trial.send(sent)
    assert.equal((await trial.cancel(sent)).body.message, 'Cannot cancel while PENDING')
    const raced = await trial.requested(10)
    const answers = await Promise.all(Array.from({ length: 10 }, () => trial.cancel(raced)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.deepEqual([(await trial.list()).total, (await trial.wallet())[0]], [3, '20.00'])
  })

  test('wait for the review of another admin beyond the daily limit', async () => {
    await trial.ready(400)
    await makeAdmin(service, trial.person)
    assert.equal(await trial.statusOf(await trial.requested(60)), 'REQUESTED')
    const approved = await trial.requested(60)
    const [rejected, withdrawn] = [await trial.requested(61), await trial.requested(62)]
    const late = await trial.requested(63)
    await service.advance(HOUR)
    assert.deepEqual(
      [await trial.statusOf(approved), await trial.wallet()],
      ['REVIEW', ['94.00', '306.00', '400.00']],
    )
    assert.equal((await decide('approve', approved, trial.person.token)).status, 403, 'not by its requester')
    await setAccount('SUSPENDED')
    assert.equal((await decide('approve', approved)).body.code, 'PAYOUT_OWNER_SUSPENDED')
    await setAccount('ACTIVE')
    assert.equal((await decide('approve', approved)).status, 200)
    await service.advance(1)
    await trial.untilSent(approved)
    assert.equal((await decide('reject', rejected)).status, 200)
    assert.equal((await trial.cancel(withdrawn)).status, 200)
    assert.equal((await approvalOf(withdrawn)).status, 'EXPIRED')
    assert.equal((await decide('approve', withdrawn)).status, 409)
    await service.advance(8 * DAY)
    const states = [approved, rejected, withdrawn, late].map(id => trial.statusOf(id))
    assert.deepEqual(await Promise.all(states), ['PAID', 'CANCELED', 'CANCELED', 'CANCELED'])
    const codes = [rejected, withdrawn, late].map(async id => (await trial.find(id)).failureCode)
    assert.deepEqual(await Promise.all(codes), ['REVIEW_REJECTED', null, 'REVIEW_EXPIRED'])
    assert.match((await trial.find(rejected)).failureReason ?? '', /review rejected/)
    assert.match((await trial.find(late)).failureReason ?? '', /in time/)
    assert.deepEqual(await trial.wallet(), ['280.00', '0.00', '280.00'])
    assert.equal(await trial.statusOf(await trial.requested(90)), 'REQUESTED', 'another day')
  })

  test('return to a wallet that was frozen before they are sent', async () => {
    await trial.ready(300)
    const [due, large] = [await trial.requested(60), await trial.requested(70)]
    const { db } = service.services
    const wallet = accounts.wallet(trial.person.walletId)
    await db.transaction(tx => freezeAccount(tx, wallet, 'USD', 'test'))
    const refused = await decide('approve', large)
    assert.deepEqual([refused.status, refused.body.code], [409, 'PAYOUT_WALLET_FROZEN'])
    await service.advance(HOUR)
    const canceled = await trial.find(due)
    assert.deepEqual(
      [canceled.status, canceled.failureCode, canceled.failureReason],
      ['CANCELED', 'WALLET_FROZEN', 'The wallet is frozen'],
    )
    assert.deepEqual(await trial.wallet(), ['230.00', '70.00', '300.00'])
    await mailTo(service, trial.person.email, /The wallet is frozen/)
    await db.transaction(tx => unfreezeAccount(tx, wallet, 'USD', 'test'))
    assert.equal((await decide('approve', large)).status, 200)
  })

  // Without the end of the session, which a suspension by an admin has too.
  const setAccount = (status: 'SUSPENDED' | 'ACTIVE') =>
    service.services.db.pool.query('update identity_account set status = $1 where id = $2', [
      status,
      trial.person.id,
    ])
  async function approvalOf(payoutId: string): Promise<{ id: string; status: string }> {
    const { body } = await service.http<{
      items: { id: string; status: string; payload: { payoutId: string } }[]
    }>('GET', '/admin/approvals?limit=100', { token: admin })
    return body.items.find(({ payload }) => payload.payoutId === payoutId) ?? assert.fail(payoutId)
  }
  const decide = async (event: 'approve' | 'reject', payoutId: string, token = admin) => {
    const { id } = await approvalOf(payoutId)
    return service.http<Payout>('POST', `/admin/approvals/${id}/${event}`, { token, body: {} })
  }

  test('of 20 requests at once never overdraw; a key repeats its response', async () => {
    await trial.ready(50)
    const answers = await Promise.all(Array.from({ length: 20 }, () => trial.request({ amount: 10 })))
    assert.deepEqual(
      [answers.filter(({ status }) => status === 201).length, await trial.wallet()],
      [5, ['0.00', '50.00', '50.00']],
    )
    for (const { status, body } of answers.filter(each => each.status !== 201))
      assert.deepEqual([status, body.message], [400, 'Insufficient balance'])
    await fund(service, trial.person, 30)
    const key = { 'idempotency-key': newId() }
    const same = await Promise.all(Array.from({ length: 5 }, () => trial.request({ amount: 10 }, key)))
    const first = same.find(({ status }) => status === 201)
    const repeated = await trial.request({ amount: 10 }, key)
    assert.deepEqual(
      [repeated.status, repeated.headers.get('idempotency-replayed'), repeated.body],
      [201, 'true', first?.body],
    )
    assert.equal((await trial.request({ amount: 11 }, key)).status, 422)
    assert.deepEqual([(await trial.wallet())[0], (await trial.list()).total], ['20.00', 6])
  })

  test('take real money only, of a valid amount, from a wallet that is not frozen', async () => {
    const { walletId, token } = trial.person
    await connectBank(service, token)
    const credit = { walletId, amount: 40, reason: 'test' }
    await service.http('POST', '/wallets/admin/test-credit', { token: admin, body: credit })
    assert.equal((await trial.request({ amount: 5 })).body.message, 'Insufficient balance')
    await fund(service, trial.person, 20)
    const refused = async (body: object) => {
      const { status, body: answer } = await trial.request(body)
      return [status, answer.code]
    }
    assert.deepEqual(await refused({ amount: '0.50' }), [400, 'PAYOUT_AMOUNT'])
    assert.deepEqual(await refused({ amount: '5.001' }), [400, 'AMOUNT_INVALID'])
    assert.deepEqual(await refused({ amount: 5, amountCents: 500 }), [400, 'VALIDATION_FAILED'])
    assert.deepEqual(await refused({}), [400, 'VALIDATION_FAILED'])
    assert.deepEqual(await refused({ amount: '20.01' }), [400, 'INSUFFICIENT_BALANCE'])
    assert.deepEqual(await refused({ amount: 5, rail: 'chain' }), [400, 'PAYOUT_RAIL_UNAVAILABLE'])
    const { db } = service.services
    await db.transaction(tx => freezeAccount(tx, accounts.wallet(walletId), 'USD', 'test'))
    assert.deepEqual(await refused({ amount: 5 }), [409, 'ACCOUNT_FROZEN'])
    await db.transaction(tx => unfreezeAccount(tx, accounts.wallet(walletId), 'USD', 'test'))
    assert.deepEqual([(await trial.list()).total, await trial.wallet()], [0, ['60.00', '0.00', '60.00']])
  })
})
