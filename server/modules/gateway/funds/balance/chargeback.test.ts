import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { accounts, checkLedger } from '#ledger'
import {
  ChargebackTrial,
  eventually,
  fund,
  openDispute,
  processorIdOf,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { reserveExactly, routingKey, usageRecord } from '../../../../../test/support/gateway/funds.ts'
import { routingBalance, topUp, toppedUp } from '../../../../../test/support/gateway/top-ups.ts'
import { createFunds } from '../index.ts'

suite('a chargeback of a top-up by card', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  const withdraw = ({ token }: Person, amount: number) =>
    trial.post<{ code: string; balance: string }>('/v1/wallet/withdraw', { amount }, { token })
  const dispute = async (paymentId: string) => {
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, paymentId))
    return { disputeId, id: await trial.chargebackOf(disputeId) }
  }
  async function disputed(amount: number, spend = 0) {
    const person = await registerHuman(service)
    const paymentId = await toppedUp(service, person, amount)
    if (spend) assert.equal((await withdraw(person, spend)).status, 200)
    return { person, paymentId, ...(await dispute(paymentId)) }
  }
  const findings = async () =>
    (await checkLedger(service.services.db, await loadLedgerChecks(), { full: true })).findings

  test('freezes the routing balance until it is won', async () => {
    const { person, paymentId, disputeId, id } = await disputed(10)
    const record = await service.http<{ purpose: string; reference: string }>(
      'GET',
      `/admin/chargebacks/${id}`,
      { token: trial.admin },
    )
    assert.deepEqual([record.body.purpose, record.body.reference], ['ROUTING', person.id])
    const refused = await withdraw(person, 1)
    assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
    const funds = createFunds(service.services)
    const reserve = () => reserveExactly(funds, routingKey(person.id), 1_000_000n, { test: false })
    await assert.rejects(reserve(), /Insufficient balance: The routing balance is frozen/)
    // Other money arrives, and waits with the rest.
    assert.equal((await topUp(service, person, { amount: 5 })).body.balance, '15.00')
    await assert.rejects(reserve(), /Insufficient balance/)
    assert.deepEqual(await findings(), [])
    await trial.win(disputeId)
    assert.deepEqual(await trial.legsOf((await trial.read(id)).closedJournalId), ['1010->1040 10'])
    ;(await reserve()).release()
    await funds.stop()
    assert.equal((await withdraw(person, 15)).status, 200)
    assert.equal((await trial.query('select from payments_intent where id = $1', [paymentId])).length, 1)
  })

  test('takes back what instances have leased, and a lost one takes it from the balance', async () => {
    const person = await registerHuman(service)
    const paymentId = await toppedUp(service, person, 10)
    const funds = createFunds(service.services)
    const key = routingKey(person.id)
    const running = await reserveExactly(funds, key, 500_000n, { test: false })
    ;(await reserveExactly(funds, key, 400_000n, { test: false })).release()
    const { disputeId, id } = await dispute(paymentId)
    const view = () => service.http<{ leased: string }>('GET', '/v1/wallet/balance', { token: person.token })
    await eventually('what is free is returned', async () => (await view()).body.leased === '0.50')
    // A request that was under way is paid from what it had reserved.
    running.settle(usageRecord(key, 100_000n, { simulated: false }))
    await funds.flush()
    await trial.lose(disputeId)
    await funds.stop()
    const { closedJournalId, owed, status } = await trial.read(id)
    assert.deepEqual([status, owed.open], ['LOST', '0.108'])
    assert.deepEqual(await trial.legsOf(closedJournalId), [
      `${accounts.routing(person.id)}->1040 9.892`,
      `${accounts.receivable(person.id)}->1040 0.108`,
    ])
    assert.equal(await routingBalance(service, person), '0.00')
    assert.deepEqual(await findings(), [])
  })

  test('a lost one leaves the money of other top-ups, which can be spent again', async () => {
    const { person, disputeId, id } = await disputed(10)
    await fund(service, person, 5)
    await topUp(service, person, { amount: 5, rail: 'wallet' })
    await trial.lose(disputeId)
    assert.deepEqual(
      [(await trial.read(id)).owed.open, await routingBalance(service, person)],
      ['0.00', '5.00'],
    )
    assert.equal((await withdraw(person, 5)).status, 200)
  })

  test('freezes the wallet to which the money was withdrawn, which pays for what the balance lacks', async () => {
    for (const won of [true, false]) {
      const { person, disputeId, id = '' } = await disputed(10, 8)
      const refused = await trial.pay(person, trial.second, 1)
      assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
      assert.deepEqual(await findings(), [])
      await (won ? trial.win(disputeId) : trial.lose(disputeId))
      const { closedJournalId, owed } = await trial.read(id)
      if (!won) {
        const [routing, wallet] = [accounts.routing(person.id), accounts.wallet(person.walletId)]
        assert.deepEqual(await trial.legsOf(closedJournalId), [`${routing}->1040 2`, `${wallet}->1040 8`])
        await fund(service, person, 1)
      }
      assert.equal(owed.open, '0.00')
      assert.equal((await trial.pay(person, trial.second, 1)).status, 201)
    }
  })

  test('leaves a wallet free if the balance holds enough', async () => {
    const person = await registerHuman(service)
    const paymentId = await toppedUp(service, person, 10)
    await toppedUp(service, person, 10)
    assert.equal((await withdraw(person, 8)).status, 200)
    const { disputeId } = await dispute(paymentId)
    assert.equal((await trial.pay(person, trial.second, 8)).status, 201)
    await trial.lose(disputeId)
    assert.equal(await routingBalance(service, person), '2.00')
  })

  test('a lost one of money that was spent is owed, and written off', async () => {
    const person = await registerHuman(service)
    const paymentId = await toppedUp(service, person, 10)
    assert.equal((await withdraw(person, 8)).status, 200)
    assert.equal((await trial.pay(person, trial.second, 8)).status, 201)
    const { disputeId, id = '' } = await dispute(paymentId)
    await trial.lose(disputeId)
    const { closedJournalId, owed } = await trial.read(id)
    assert.deepEqual([owed.amount, owed.open], ['8.00', '8.00'])
    assert.deepEqual(await trial.legsOf(closedJournalId), [
      `${accounts.routing(person.id)}->1040 2`,
      `${accounts.receivable(person.id)}->1040 8`,
    ])
    assert.equal((await trial.writeOff(id)).body.chargeback.owed.writtenOff, '8.00')
    assert.deepEqual(await findings(), [])
  })

  test('of two disputes each has a freeze of its own, and a lost one is taken through the other', async () => {
    const { person, disputeId } = await disputed(10)
    const second = await dispute(await toppedUp(service, person, 5))
    await trial.lose(second.disputeId)
    assert.equal(await routingBalance(service, person), '10.00')
    assert.equal((await withdraw(person, 1)).status, 409)
    await trial.win(disputeId)
    assert.equal((await withdraw(person, 1)).status, 200)
  })

  test('of a deleted account it does not stop a second erasure', async () => {
    const person = await registerHuman(service)
    const paymentId = await toppedUp(service, person, 10)
    const body = { confirmPhrase: 'DELETE MY ACCOUNT' }
    const deleted = await service.http('DELETE', '/users/me', { token: person.token, body })
    assert.equal(deleted.status, 204, deleted.text)
    const { disputeId, id } = await dispute(paymentId)
    await trial.lose(disputeId)
    const { status, owed } = await trial.read(id)
    assert.deepEqual([status, owed.open], ['LOST', '10.00'])
    await service.advance(2 * 86_400)
    assert.deepEqual(await findings(), [])
  })
})
