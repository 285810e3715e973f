import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DAY, SECOND } from '#platform/kernel/clock'
import { fund, registerHuman, startTestService, type Person, type TestService } from '#test'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const days = (count: number) => service.advance((count * DAY) / SECOND)

/** An account in the grace period, with the price of a month in its wallet. */
async function inGracePeriod(): Promise<Person> {
  const person = await registerHuman(service)
  await fund(service, person, 59)
  const { token } = person
  const body = { rail: 'wallet' }
  const bought = await service.http<{ currentPeriodEnd: string }>('POST', '/subscriptions/checkout', {
    token,
    body,
  })
  assert.equal(bought.status, 201, bought.text)
  const leftMs = Date.parse(bought.body.currentPeriodEnd) - service.services.clock.now().getTime()
  await days(leftMs / DAY + 0.01)
  await fund(service, person, 59)
  assert.deepEqual(await stored(person), { status: 'PAST_DUE', plan: 'PRO', balance: 59_000_000n })
  return person
}

async function stored({ id, walletId }: Person) {
  const { rows } = await service.services.db.pool.query<Record<'status' | 'plan' | 'balance', unknown>>(
    `select s.status, a.plan, b.balance from subscriptions_subscription s join identity_account a on a.id = s.account_id
      join ledger_balance b on b.account = '2010:' || $2 where s.account_id = $1`,
    [id, walletId],
  )
  return rows[0]
}

test('an account that is suspended in the grace period does not pay for the plan that it cannot use', async () => {
  const person = await inGracePeriod()
  const suspended = await service.http('POST', `/admin/users/${person.id}/suspend`, {
    token: await service.adminToken(),
    body: { reason: 'test' },
  })
  assert.equal(suspended.status, 200, suspended.text)
  await days(1.1)
  assert.deepEqual(await stored(person), { status: 'CANCELLED', plan: 'FREE', balance: 59_000_000n })
})
