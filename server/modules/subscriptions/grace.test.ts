import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DAY, MINUTE, SECOND } from '#platform/kernel/clock'
import { sql } from '#platform/kernel/sql'
import { fund, mailsSettled, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Subscription {
  id: string
  status: string
  renewsFrom: string | null
  currentPeriodEnd: string
  graceUntil: string | null
  invoices: { rail: string }[]
  checkout?: { id: string }
}

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const days = async (count: number) => {
  await service.advance((count * DAY) / SECOND)
  await mailsSettled(service)
}
const checkout = ({ token }: Person, body: object) =>
  service.http<Subscription>('POST', '/subscriptions/checkout', { token, body })
const me = async ({ token }: Person) =>
  (await service.http<Subscription>('GET', '/subscriptions/me', { token })).body
const payPage = ({ checkout: page }: Subscription) =>
  service.http('POST', `/sandbox/checkout/${page?.id}`, { body: { paymentMethodId: 'pm_card_visa' } })

/** An account that has paid a month, with nothing in its wallet. */
async function subscriber(body: { rail: 'wallet' } | { paymentMethodId: string }): Promise<Person> {
  const person = await registerHuman(service)
  if ('rail' in body) await fund(service, person, 59)
  const bought = await checkout(person, body)
  assert.equal(bought.status, 201, bought.text)
  return person
}

/** Until a minute after the end of the paid month. */
async function toPeriodEnd(person: Person): Promise<void> {
  const { currentPeriodEnd } = await me(person)
  await days((Date.parse(currentPeriodEnd) + MINUTE - service.services.clock.now().getTime()) / DAY)
}

const useCard = ({ id }: Person, method: string) =>
  service.services.db.run(
    sql`update subscriptions_subscription set payment_method_id = ${method} where account_id = ${id}`,
  )

async function stored({ id, walletId }: Person) {
  const { rows } = await service.services.db.pool.query<Record<'status' | 'plan' | 'balance', unknown>>(
    `select s.status, a.plan, b.balance from subscriptions_subscription s join identity_account a on a.id = s.account_id
      join ledger_balance b on b.account = '2010:' || $2 where s.account_id = $1`,
    [id, walletId],
  )
  return rows[0]
}

test('an account that is suspended in the grace period does not pay for the plan that it cannot use', async () => {
  const person = await subscriber({ rail: 'wallet' })
  await toPeriodEnd(person)
  await fund(service, person, 59)
  assert.deepEqual(await stored(person), { status: 'PAST_DUE', plan: 'PRO', balance: 59_000_000n })
  const suspended = await service.http('POST', `/admin/users/${person.id}/suspend`, {
    token: await service.adminToken(),
    body: { reason: 'test' },
  })
  assert.equal(suspended.status, 200, suspended.text)
  await days(1.1)
  assert.deepEqual(await stored(person), { status: 'CANCELLED', plan: 'FREE', balance: 59_000_000n })
})

test('after an outage of days the grace period begins with the first attempt', async () => {
  const person = await subscriber({ rail: 'wallet' })
  // As if nothing had run since the month ended ten days ago: the clock of the sandbox stops at each deadline.
  const { id } = await me(person)
  await service.services.db
    .run(sql`update subscriptions_subscription set anchor_at = anchor_at - interval '41 days',
    period_end = period_end - interval '41 days', due_at = due_at - interval '41 days' where id = ${id}`)
  await days(SECOND / DAY)
  const { status, graceUntil } = await me(person)
  const left = (Date.parse(graceUntil ?? '') - service.services.clock.now().getTime()) / DAY
  assert.deepEqual([status, Math.round(left * 100)], ['PAST_DUE', 500])
  await fund(service, person, 59)
  await days(1.1)
  assert.equal((await me(person)).status, 'ACTIVE')
})

test('in the grace period a card or page replaces the stored card when it has paid', async () => {
  const body = { paymentMethodId: 'pm_card_visa' }
  const [tried, byPage, byCard] = [await subscriber(body), await subscriber(body), await subscriber(body)]
  for (const each of [tried, byPage, byCard]) await useCard(each, 'pm_card_chargeDeclined')
  await toPeriodEnd(byCard)
  const { body: page } = await checkout(tried, { rail: 'checkout' })
  assert.deepEqual([page.status, page.renewsFrom], ['PAST_DUE', 'card'])
  assert.equal((await checkout(tried, { paymentMethodId: 'pm_card_chargeDeclinedExpiredCard' })).status, 400)
  assert.equal((await payPage((await checkout(byPage, {})).body)).status, 200)
  assert.equal((await checkout(byCard, { paymentMethodId: 'pm_card_mastercard' })).status, 201)
  await useCard(tried, 'pm_card_visa')
  await days(1.1)
  const now = await Promise.all([tried, byPage, byCard].map(me))
  assert.deepEqual(
    now.map(({ status, renewsFrom, invoices: [last] }) => [status, renewsFrom, last?.rail]),
    [
      ['ACTIVE', 'card', 'card'],
      ['ACTIVE', 'wallet', 'checkout'],
      ['ACTIVE', 'card', 'card'],
    ],
  )
})
