import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { accounts, balanceOf, checkLedger } from '#ledger'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import { sql } from '#platform/kernel/sql'
import {
  BudgetTrial,
  ChargebackTrial,
  fund,
  mailsSettled,
  openDispute,
  processorIdOf,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Subscription {
  id: string
  status: string
  currentPeriodEnd: string
  walletId: string
  invoices: { id: string; returned: string; rail: string }[]
  checkout?: { id: string }
}
type Refusal = { code: string; hint?: string }

const FULL = 10_000

suite('an organization that pays a subscription', () => {
  let service: TestService
  let trial: BudgetTrial
  let admin: Person
  before(async () => {
    service = await startTestService()
    trial = await BudgetTrial.open(service)
    ;({ admin } = trial)
  })
  after(() => service.close())
  beforeEach(() => trial.begin())

  const send = <Body>(path: string, { token }: Person, body: object) =>
    service.http<Body & Refusal>('POST', path, { token, body })
  const checkout = (person: Person, body: object) =>
    send<Subscription>('/subscriptions/checkout', person, body)
  const subscribed = async (person: Person, body: object) => {
    const { status, text, body: subscription } = await checkout(person, body)
    assert.equal(status, 201, text)
    return subscription
  }
  const cancel = async (person: Person, immediately: boolean) => {
    const { status, text } = await send('/subscriptions/cancel', person, { immediately })
    assert.equal(status, 200, text)
  }
  const me = async ({ token }: Person) =>
    (await service.http<Subscription>('GET', '/subscriptions/me', { token })).body
  const balance = async (walletId: string) =>
    Number(await balanceOf(service.services.db, accounts.wallet(walletId), 'USD')) / 1e6
  const toPeriodEnd = async (person: Person) => {
    const end = Date.parse((await me(person)).currentPeriodEnd)
    await service.advance((end - service.services.clock.now().getTime() + MINUTE) / SECOND)
    await mailsSettled(service)
  }
  /** As rows are that were written before organizations were refused as the fallback of a card. */
  const fallBackToOrganization = ({ id }: Subscription) =>
    service.services.db.run(
      sql`update subscriptions_subscription set wallet_id = ${trial.walletId} where id = ${id}`,
    )
  const rest = async (person: Person) => {
    const returned = Number((await me(person)).invoices[0]?.returned)
    assert.ok(returned > 56 && returned < 59, `${returned} was returned`)
    return returned
  }
  const near = (actual: number, expected: number) => assert.equal(actual.toFixed(6), expected.toFixed(6))

  test('pays only what its policy and budgets have allowed', async () => {
    await fund(service, admin, 59)
    await trial.setPolicy({ perTransactionLimit: 10 })
    const { walletId } = trial
    for (const body of [{ rail: 'checkout' }, { paymentMethodId: 'pm_card_visa' }]) {
      const refused = await checkout(admin, { ...body, walletId })
      assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
      assert.match(refused.body.hint ?? '', /organization/)
    }
    await subscribed(admin, { rail: 'wallet' })
    await cancel(admin, false)
    const continued = await checkout(admin, { walletId })
    assert.deepEqual([continued.status, continued.body.code], [403, 'FORBIDDEN'])
    await subscribed(admin, { rail: 'wallet' })
    await toPeriodEnd(admin)
    assert.equal((await me(admin)).status, 'PAST_DUE')
    const above = await checkout(admin, { walletId })
    assert.deepEqual([above.status, above.body.code], [403, 'ORGANIZATION_PAYMENT_TOO_LARGE'])
    assert.equal(await balance(walletId), FULL)
    await trial.setPolicy({ perTransactionLimit: 59 })
    await subscribed(admin, { walletId })
    assert.deepEqual([await balance(walletId), await trial.spentBy(admin)], [FULL - 59, '59.00'])
    await cancel(admin, false)
    await subscribed(admin, { walletId })
    await cancel(admin, true)
  })

  test('gets back what a cancellation returns, also in its budgets, whatever pays the next month', async () => {
    const { walletId } = trial
    const own = await balance(admin.walletId)
    await subscribed(admin, { walletId })
    assert.equal(await trial.spentBy(admin), '59.00')
    await cancel(admin, false)
    await subscribed(admin, { rail: 'wallet' })
    assert.equal((await me(admin)).walletId, admin.walletId)
    await cancel(admin, true)
    const returned = await rest(admin)
    near(await balance(walletId), FULL - 59 + returned)
    near(await balance(admin.walletId), own)
    near(Number(await trial.spentBy(admin)), 59 - returned)
  })

  test('gets back a renewal that it paid', async () => {
    const { walletId } = trial
    await subscribed(admin, { walletId })
    await toPeriodEnd(admin)
    await cancel(admin, false)
    await subscribed(admin, { paymentMethodId: 'pm_card_visa' })
    await cancel(admin, true)
    near(await balance(walletId), FULL - 118 + (await rest(admin)))
  })

  test('gets nothing of a month that a card paid, nor of late money', async () => {
    const person = await registerHuman(service)
    await fallBackToOrganization(await subscribed(person, { paymentMethodId: 'pm_card_visa' }))
    await cancel(person, true)
    near(await balance(person.walletId), await rest(person))
    const other = await registerHuman(service)
    const page = await subscribed(other, {})
    await fallBackToOrganization(page)
    await cancel(other, false)
    await service.http('POST', `/sandbox/checkout/${page.checkout?.id}`, {
      body: { paymentMethodId: 'pm_card_visa' },
    })
    assert.deepEqual([await balance(other.walletId), await balance(trial.walletId)], [59, FULL])
  })

  test('pays no chargeback of a card', async () => {
    const chargeback = await ChargebackTrial.of(service)
    const person = await registerHuman(service)
    const subscription = await subscribed(person, { paymentMethodId: 'pm_card_visa' })
    await fallBackToOrganization(subscription)
    const [paid] = await chargeback.query<{ id: string }>(
      'select payment_id as id from subscriptions_invoice where subscription_id = $1',
      [subscription.id],
    )
    const processorId = await processorIdOf(service, paid?.id ?? '')
    const disputeId = await openDispute(service, chargeback.admin, processorId)
    await chargeback.lose(disputeId)
    const { owed } = await chargeback.read(await chargeback.chargebackOf(disputeId))
    near(Number(owed.open), 59 - (await rest(person)))
    assert.deepEqual([await balance(person.walletId), await balance(trial.walletId)], [0, FULL])
  })

  test('passes the ledger check', async () => {
    const report = await checkLedger(service.services.db, await loadLedgerChecks(), { full: true })
    assert.deepEqual(report.findings, [])
  })
})
