import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { MarketTrial, startTestService, type NeedBody } from '#test'
import { OPEN_NEEDS_MAX } from './need.ts'

let trial: MarketTrial
before(async () => {
  trial = await MarketTrial.open(await startTestService())
})
after(() => trial.service.close())

test('a need that is repeated with its Idempotency-Key is published once', async () => {
  const publish = () =>
    trial.service.http<NeedBody>('POST', '/market/needs', {
      token: trial.market.buyer.token,
      headers: { 'idempotency-key': 'one need' },
      body: { title: 'Release notes', budget: 100 },
    })
  const [first, repeated] = [await publish(), await publish()]
  assert.deepEqual([first.status, repeated.status], [201, 201])
  assert.equal(repeated.body.id, first.body.id)
})

test('an account has at most 1,000 open needs, also of those published at once', async () => {
  const { id } = await trial.newNeed()
  const { db } = trial.service.services
  const { open } = await db.one<{ open: number }>(
    sql`select count(*)::int as open from market_need where status = 'OPEN'`,
  )
  await db.run(sql`
    insert into market_need (id, status, account_id, title, description, category, budget, currency, deadline, created_at, updated_at)
    select gen_random_uuid(), status, account_id, title, description, category, budget, currency, deadline, created_at, updated_at
    from market_need, generate_series(1, ${OPEN_NEEDS_MAX - open - 2}::int) where id = ${id}`)
  const answers = await Promise.all(Array.from({ length: 4 }, () => trial.publish()))
  assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['201', '201', '409', '409'])
  assert.match((await trial.publish()).text, /"TOO_MANY_NEEDS"/)
  await trial.close(id)
  assert.equal((await trial.publish()).status, 201)
  assert.equal((await trial.publish({}, trial.market.outsider.token)).status, 201)
})
