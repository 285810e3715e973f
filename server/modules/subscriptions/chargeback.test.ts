import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { accounts, balanceOf, checkLedger } from '#ledger'
import {
  availableOf,
  ChargebackTrial,
  fund,
  mailTo,
  openDispute,
  processorIdOf,
  publishAgent,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

suite('a chargeback of a subscription', () => {
  let service: TestService
  let trial: ChargebackTrial
  before(async () => {
    service = await startTestService()
    trial = await ChargebackTrial.of(service)
  })
  after(() => service.close())

  const planOf = async ({ token }: Person) =>
    (await service.http<{ plan: string }>('GET', '/users/me', { token })).body.plan
  async function subscribe(before: (person: Person) => Promise<unknown> = async () => {}): Promise<{
    person: Person
    disputeId: string
    id: string
    subscriptionId: string
  }> {
    const person = await registerHuman(service)
    const paid = await trial.post<{ status: string; id: string }>(
      '/subscriptions/checkout',
      { plan: 'PRO', paymentMethodId: 'pm_card_visa' },
      { token: person.token },
    )
    assert.equal(paid.status, 201, paid.text)
    const [payment] = await trial.query<{ id: string }>(
      'select payment_id as id from subscriptions_invoice where subscription_id = $1',
      [paid.body.id],
    )
    await before(person)
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, payment?.id ?? ''))
    const id = (await trial.chargebackOf(disputeId)) ?? ''
    return { person, disputeId, id, subscriptionId: paid.body.id }
  }

  test('passes the ledger check while the dispute is open', async () => {
    const { disputeId } = await subscribe()
    const report = await checkLedger(service.services.db, await loadLedgerChecks(), { full: true })
    assert.deepEqual(report.findings, [])
    await trial.win(disputeId)
  })

  test('continues while the dispute is open, and when it is won', async () => {
    const { person, disputeId, id } = await subscribe()
    assert.equal(await planOf(person), 'PRO')
    await trial.win(disputeId)
    assert.deepEqual([(await trial.read(id)).status, await planOf(person)], ['WON', 'PRO'])
    await mailTo(service, person.email, /Your plan does not end because of that/)
  })

  test('ends when it is lost: the rest of the period pays, the account owes the day that it used', async () => {
    const { person, disputeId, id } = await subscribe()
    await trial.lose(disputeId)
    const { closedJournalId, owed } = await trial.read(id)
    const rest = 59 - Number(owed.open)
    assert.ok(rest > 56 && rest < 58, `the rest of the month is ${rest}`)
    assert.deepEqual(await trial.legsOf(closedJournalId), [
      `${accounts.wallet(person.walletId)}->1040 ${Number(rest.toFixed(6))}`,
      `${accounts.receivable(person.id)}->1040 ${owed.open}`,
    ])
    assert.equal(await planOf(person), 'FREE')
    await mailTo(service, person.email, /your plan has ended[^]*taken from your wallet/)
  })

  const cancelAtOnce = ({ token }: Person) =>
    trial.post('/subscriptions/cancel', { immediately: true }, { token })

  test('of a canceled plan freezes the wallet that got the rest of the month', async () => {
    for (const won of [true, false]) {
      const { person, disputeId, id } = await subscribe(cancelAtOnce)
      const rest = Number(await availableOf(service, person))
      assert.ok(rest > 56 && rest < 58, `the rest of the month is ${rest}`)
      const refused = await trial.pay(person, trial.second, 1)
      assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
      await mailTo(service, person.email, /rest of a canceled month went back to your wallet/)
      await (won ? trial.win(disputeId) : trial.lose(disputeId))
      const { owed } = await trial.read(id)
      await fund(service, person, 1)
      assert.equal((await trial.pay(person, trial.second, 1)).status, 201)
      assert.deepEqual(
        [Number(owed.open), Number(await availableOf(service, person))],
        won ? [0, rest] : [Number((59 - rest).toFixed(6)), 0],
      )
    }
  })

  test('an account cannot be deleted before the bank has decided, and can be afterwards', async () => {
    for (const before of [cancelAtOnce, undefined])
      for (const won of [true, false]) {
        const { person, disputeId } = await subscribe(before)
        const remove = () =>
          service.http<{ code: string; hint: string }>('DELETE', '/users/me', { token: person.token })
        const { status, body } = await remove()
        assert.deepEqual([status, body.code], [409, 'ACCOUNT_FROZEN'])
        assert.match(body.hint, /until the bank decides: delete the account then/)
        await (won ? trial.win(disputeId) : trial.lose(disputeId))
        assert.equal((await remove()).status, 204)
      }
  })

  /** A second payment for the month, which came too late and is in the wallet, and its dispute. */
  async function disputeSecondPayment() {
    const person = await registerHuman(service)
    await fund(service, person, 59)
    const checkout = (body: object) =>
      trial.post<{ id: string; status: string; checkout?: { id: string } }>('/subscriptions/checkout', body, {
        token: person.token,
      })
    const { body: page } = await checkout({})
    assert.equal((await checkout({ rail: 'wallet' })).body.status, 'ACTIVE')
    const paid = await service.http('POST', `/sandbox/checkout/${page.checkout?.id}`, {
      body: { paymentMethodId: 'pm_card_visa' },
    })
    assert.equal(paid.status, 200, paid.text)
    assert.equal(await availableOf(service, person), '59.00')
    const [payment] = await trial.query<{ id: string }>(
      'select id from payments_intent where checkout_id = $1',
      [page.checkout?.id],
    )
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, payment?.id ?? ''))
    return { person, disputeId, subscriptionId: page.id }
  }

  test('of a second payment for the month, which is in the wallet, ends nothing', async () => {
    const { person, disputeId, subscriptionId } = await disputeSecondPayment()
    await trial.lose(disputeId)
    const { status, owed } = await trial.read(await trial.chargebackOf(disputeId))
    assert.deepEqual([status, Number(owed.open), await planOf(person)], ['LOST', 0, 'PRO'])
    assert.deepEqual([await availableOf(service, person), await revenueOf(subscriptionId)], ['0.00', [59, 0]])
  })

  test('of a second payment freezes the wallet that has it, whatever pays the plan meanwhile', async () => {
    const { person, disputeId } = await disputeSecondPayment()
    const refused = await trial.pay(person, trial.second, 1)
    assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
    await mailTo(service, person.email, /If the payment came too late for a month, your wallet has it/)
    const { token } = person
    const agent = await publishAgent(service, person)
    const wallet = await service.http<{ id: string }>('GET', `/wallets/agent/${agent.id}`, { token })
    await trial.post('/subscriptions/cancel', {}, { token })
    const source = { rail: 'wallet', walletId: wallet.body.id }
    assert.equal((await trial.post('/subscriptions/checkout', source, { token })).status, 201)
    await trial.win(disputeId)
    assert.equal((await trial.pay(person, trial.second, 1)).status, 201)
    assert.deepEqual([await availableOf(service, person), await planOf(person)], ['58.00', 'PRO'])
  })

  /** What is not earned yet, and what was earned of a subscription. */
  async function revenueOf(id: string): Promise<[deferred: number, earned: number]> {
    const { db } = service.services
    const deferred = await balanceOf(db, accounts.deferredSubscription(id), 'USD')
    const [row] = await trial.query<{ earned: string }>(
      'select sum(recognized) as earned from subscriptions_invoice where subscription_id = $1',
      [id],
    )
    return [Number(deferred) / 1e6, Number(row?.earned) / 1e6]
  }

  test('earns nothing while it is open, and the days that passed when it is won', async () => {
    const [won, lost] = [await subscribe(), await subscribe()]
    const frozen = await revenueOf(won.subscriptionId)
    assert.deepEqual(frozen, [59, 0])
    await service.advance(5 * 86_400)
    assert.deepEqual(await revenueOf(won.subscriptionId), frozen)
    assert.deepEqual(await revenueOf(lost.subscriptionId), frozen)
    const cancel = (person: Person) =>
      trial.post('/subscriptions/cancel', { immediately: true }, { token: person.token })
    const refused = await cancel(won.person)
    assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
    await trial.win(won.disputeId)
    await trial.lose(lost.disputeId)
    await service.advance(60)
    const [deferred, earned] = await revenueOf(won.subscriptionId)
    assert.ok(earned > 59 * (5 / 31.1) && earned < 59 * (6 / 28), `${earned} of five days`)
    assert.equal(Math.round((deferred + earned) * 1e6), 59_000_000)
    // Its account owes the days that it used, and the rest has paid the bank.
    const [rest, used] = await revenueOf(lost.subscriptionId)
    const { owed } = await trial.read(lost.id)
    assert.deepEqual([rest, Number(owed.open)], [0, used])
    assert.ok(used > 59 * (5 / 31.1) && used < 59 * (7 / 28), `${used} of five days and the one under way`)
    assert.equal((await cancel(won.person)).status, 200)
    assert.equal((await revenueOf(won.subscriptionId))[0], 0)
  })
})
