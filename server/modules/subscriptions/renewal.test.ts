import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, checkLedger, freezeAccount, unfreezeAccount } from '#ledger'
import { DAY, MINUTE, SECOND } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import { findEdge } from '#platform/kernel/machine'
import { sql } from '#platform/kernel/sql'
import {
  availableOf,
  deliveredDeal,
  fund,
  heldDeal,
  mailsSettled,
  mailTo,
  must,
  openMarket,
  readDeal,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { subscriptionChecks } from './check.ts'
import { subscriptionMachine } from './subscription-machine.ts'

interface Subscription {
  plan: string
  id: string
  status: string
  currentPeriodStart: string
  currentPeriodEnd: string
  graceUntil: string | null
  cancelsAtPeriodEnd: boolean
  renewsFrom: string
  invoices: {
    id: string
    number: number
    status: string
    rail: string
    periodStart: string
    periodEnd: string
  }[]
}
type Refusal = { message: string; code: string }

suite('subscriptions over time', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  const checkout = ({ token }: Person, body: object) =>
    service.http<Subscription & Refusal>('POST', '/subscriptions/checkout', { token, body })
  const cancel = ({ token }: Person, body: object = {}) =>
    service.http<Subscription & Refusal>('POST', '/subscriptions/cancel', { token, body })
  const me = async ({ token }: Person) =>
    (await service.http<Subscription>('GET', '/subscriptions/me', { token })).body
  const plan = async ({ token }: Person) =>
    (await service.http<{ plan: string }>('GET', '/users/me', { token })).body.plan
  const rows = async <Row>(text: string, values: unknown[]) =>
    (await service.services.db.pool.query(text, values)).rows as Row[]
  const days = async (count: number) => {
    await service.advance((count * DAY) / SECOND)
    await mailsSettled(service)
  }
  /** Until a minute after the end of the paid period. */
  const toPeriodEnd = async (person: Person) => {
    const { currentPeriodEnd } = await me(person)
    const leftMs = Date.parse(currentPeriodEnd) - service.services.clock.now().getTime()
    await days((leftMs + MINUTE) / DAY)
  }
  /** An account with Pro and a rest of `rest` USD in its wallet. */
  const subscriber = async ({ rest = 0, body = {} }: { rest?: number; body?: object } = {}) => {
    const person = await registerHuman(service)
    await fund(service, person, 59 + rest)
    const { status, text } = await checkout(person, {
      rail: 'paymentMethodId' in body ? 'card' : 'wallet',
      ...body,
    })
    assert.equal(status, 201, text)
    return person
  }
  const stored = async ({ id }: Subscription) =>
    (await rows('select status, failures from subscriptions_subscription where id = $1', [id]))[0]
  const earned = async ({ id }: Subscription) => {
    const [sum] = await rows<{ journals: string; sum: string }>(
      `select count(*) as journals, coalesce(sum(amount), 0) as sum from ledger_entry e join ledger_journal j on j.id = e.journal_id
        where e.account = '4030' and j.reference->>'subscriptionId' = $1`,
      [id],
    )
    return [Number(sum?.journals), Number(sum?.sum)]
  }

  test('earns the price day by day, and renews from the wallet at the end of the month', async () => {
    const person = await subscriber({ rest: 59 })
    const bought = await me(person)
    const length = (Date.parse(bought.currentPeriodEnd) - Date.parse(bought.currentPeriodStart)) / DAY
    await days(9.5)
    assert.deepEqual(await earned(bought), [9, Math.floor((59_000_000 * 9) / length)])
    await toPeriodEnd(person)
    const renewed = await me(person)
    assert.deepEqual(
      [renewed.status, renewed.plan, renewed.currentPeriodStart, renewed.invoices.map(each => each.status)],
      ['ACTIVE', 'PRO', bought.currentPeriodEnd, ['PAID', 'PAID']],
    )
    assert.deepEqual(
      [await earned(bought), await availableOf(service, person)],
      [[length, 59_000_000], '0.00'],
    )
    await cancel(person)
    await toPeriodEnd(person)
    assert.deepEqual([(await me(person)).status, await plan(person)], ['CANCELLED', 'FREE'])
    assert.equal((await earned(bought))[1], 118_000_000)
  })

  test('keeps Pro for 5 days and three retries without money, then ends it with a mail', async () => {
    const person = await subscriber({ rest: 58 })
    await toPeriodEnd(person)
    const due = await me(person)
    assert.deepEqual([due.status, due.plan, await plan(person)], ['PAST_DUE', 'PRO', 'PRO'])
    assert.equal(Date.parse(due.graceUntil ?? '') - Date.parse(due.currentPeriodEnd), 5 * DAY)
    assert.match((await mailTo(service, person.email, /tried again/)).subject, /could not be paid/)
    for (const [wait, tried] of [
      [0.9, 1],
      [0.2, 2],
      [1.8, 2],
      [0.2, 3],
      [1.8, 3],
    ] as const) {
      await days(wait)
      assert.deepEqual(await stored(due), { status: 'PAST_DUE', failures: tried })
    }
    await days(0.2)
    const ended = await me(person)
    assert.deepEqual(
      [ended.status, ended.plan, ended.graceUntil, ended.invoices[0]?.status, await plan(person)],
      ['EXPIRED', 'FREE', null, 'VOID', 'FREE'],
    )
    await mailTo(service, person.email, /Pro has ended/)
    assert.equal(await availableOf(service, person), '58.00')
  })

  test('a retry in the grace period pays from the wallet, for the month that began', async () => {
    const person = await subscriber()
    const { currentPeriodEnd } = await me(person)
    await toPeriodEnd(person)
    await fund(service, person, 60)
    await days(1.1)
    const paid = await me(person)
    assert.deepEqual(
      [paid.status, paid.currentPeriodStart, paid.graceUntil],
      ['ACTIVE', currentPeriodEnd, null],
    )
    assert.equal(await availableOf(service, person), '1.00')
    await cancel(person, { immediately: true })
  })

  test('a checkout in the grace period pays at once; a declined card costs no retry', async () => {
    const person = await subscriber()
    await toPeriodEnd(person)
    assert.equal((await checkout(person, { paymentMethodId: 'pm_card_chargeDeclined' })).status, 400)
    assert.deepEqual(await stored(await me(person)), { status: 'PAST_DUE', failures: 1 })
    const { body } = await checkout(person, { paymentMethodId: 'pm_card_visa' })
    assert.deepEqual([body.status, body.renewsFrom, body.invoices.length], ['ACTIVE', 'card', 2])
    await cancel(person, { immediately: true })
  })

  test('renews by the stored card, and from the wallet when the card is declined', async () => {
    const person = await subscriber({ body: { paymentMethodId: 'pm_card_visa' } })
    await toPeriodEnd(person)
    const renewed = await me(person)
    assert.deepEqual([renewed.status, renewed.invoices.map(each => each.rail)], ['ACTIVE', ['card', 'card']])
    assert.equal(await availableOf(service, person), '59.00')
    await service.services.db.run(
      sql`update subscriptions_subscription set payment_method_id = 'pm_card_chargeDeclined' where id = ${renewed.id}`,
    )
    await toPeriodEnd(person)
    const fallen = await me(person)
    assert.deepEqual([fallen.status, fallen.invoices[0]?.rail], ['ACTIVE', 'wallet'])
    await toPeriodEnd(person)
    const due = await me(person)
    assert.deepEqual([due.status, due.plan], ['PAST_DUE', 'PRO'])
    assert.equal((await cancel(person)).body.status, 'CANCELLED', 'what is not paid ends at once')
    assert.deepEqual([await plan(person), await availableOf(service, person)], ['FREE', '0.00'])
  })

  test('ends a checkout that nobody pays within a day', async () => {
    const [person, other] = [await registerHuman(service), await registerHuman(service)]
    for (const each of [person, other]) assert.equal((await checkout(each, {})).body.status, 'PENDING')
    assert.equal((await cancel(other)).body.status, 'CANCELLED')
    await days(1.2)
    assert.deepEqual([(await me(person)).status, await plan(person)], ['EXPIRED', 'FREE'])
    assert.equal((await cancel(person)).status, 404)
  })

  test('follows a payment that a crash cut off, before and after it was stored', async () => {
    const [cutOff, renewing] = [await registerHuman(service), await subscriber()]
    await checkout(cutOff, {})
    const hourAgo = new Date(Date.now() - 60 * MINUTE)
    const loseAttempt = async ({ id }: Subscription) =>
      service.services.db
        .run(sql`update subscriptions_invoice set rail = 'card', payment_id = ${newId()}, attempted_at = ${hourAgo},
        attempted_by = 'timer' where subscription_id = ${id} and status = 'OPEN'`)
    await loseAttempt(await me(cutOff))
    await days(1.2)
    assert.equal((await me(cutOff)).status, 'EXPIRED')
    await toPeriodEnd(renewing)
    await loseAttempt(await me(renewing))
    const busy = await checkout(renewing, { paymentMethodId: 'pm_card_visa' })
    assert.deepEqual([busy.status, busy.body.code], [409, 'SUBSCRIPTION_PAYMENT_PENDING'])
    await fund(service, renewing, 59)
    await days(1.2)
    assert.equal((await me(renewing)).status, 'ACTIVE')
    await cancel(renewing, { immediately: true })
  })

  test('takes nothing from a suspended account or a frozen wallet', async () => {
    const [suspended, frozen] = [await subscriber({ rest: 100 }), await subscriber({ rest: 100 })]
    const admin = await service.adminToken()
    await service.http('POST', `/admin/users/${suspended.id}/suspend`, {
      token: admin,
      body: { reason: 'test' },
    })
    const { db } = service.services
    const account = accounts.wallet(frozen.walletId)
    await db.transaction(tx => freezeAccount(tx, account, 'USD', 'operator'))
    await toPeriodEnd(frozen)
    assert.equal((await me(frozen)).status, 'PAST_DUE')
    await db.transaction(tx => unfreezeAccount(tx, account, 'USD', 'operator'))
    await days(1.1)
    assert.deepEqual([(await me(frozen)).status, await availableOf(service, frozen)], ['ACTIVE', '41.00'])
    const stored = await rows<{ status: string; plan: string; balance: string }>(
      `select s.status, a.plan, b.balance from subscriptions_subscription s join identity_account a on a.id = s.account_id
        join ledger_balance b on b.account = '2010:' || s.wallet_id where s.account_id = $1`,
      [suspended.id],
    )
    assert.deepEqual(stored, [{ status: 'CANCELLED', plan: 'FREE', balance: 100_000_000n }])
    await cancel(frozen, { immediately: true })
  })

  test('fixes the fee of a deal when it is held, whatever the plan is later', async () => {
    const market = await openMarket(service, { card: true })
    const seller = market.agent.owner
    await fund(service, seller, 59)
    await checkout(seller, { rail: 'wallet' })
    const deal = await deliveredDeal(market)
    await cancel(seller, { immediately: true })
    assert.deepEqual([deal.escrow.feeBps, (await heldDeal(market)).escrow.feeBps], [1000, 2000])
    await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
    const { fee, released } = (await readDeal(market, deal.id)).escrow
    assert.deepEqual([fee, released], ['10.00', '100.00'])
  })

  test('the ledger check finds an invoice that disagrees with the ledger', async () => {
    const person = await subscriber()
    const {
      id,
      invoices: [invoice],
    } = await me(person)
    const { db } = service.services
    const findings = async () =>
      (await checkLedger(db, subscriptionChecks, { full: true })).findings.filter(each =>
        /invoice/.test(each),
      )
    assert.deepEqual(await findings(), [])
    await db.run(sql`update subscriptions_invoice set recognized = 5 where id = ${invoice?.id}`)
    assert.ok((await findings()).some(each => each.includes(id)))
    await db.run(
      sql`update subscriptions_invoice set recognized = 0, amount = amount + 1 where id = ${invoice?.id}`,
    )
    assert.equal((await findings()).length, 2)
    await db.run(sql`update subscriptions_invoice set amount = amount - 1 where id = ${invoice?.id}`)
    await cancel(person, { immediately: true })
  })

  test('these tests take every edge of the state machine', async () => {
    const taken = await rows<{ event: string; from_status: string; actor: string; to_status: string }>(
      'select distinct event, from_status, actor, to_status from subscriptions_subscription_history',
      [],
    )
    for (const { from, event, to } of subscriptionMachine.edges)
      for (const state of from)
        assert.ok(
          taken.some(row => row.from_status === state && row.event === event && row.to_status === to),
          `${state} ${event} ${to}`,
        )
    for (const { from_status: from, event, actor } of taken)
      assert.ok(
        findEdge(subscriptionMachine, from as 'ACTIVE', { event: event as 'pay', by: actor as 'timer' }),
      )
  })
})
