import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { as, openMarket, recordQueries, sharedService, type Market, type TestService } from '#test'
import { planOf } from '../../../../test/support/database/plan.ts'
import { openDealsOf } from './lists.ts'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

test('the inbox of an agent reads its open deals alone', async () => {
  for (const party of openDealsOf(newId())) {
    const plan = await planOf(service, sql`select from ap2_negotiation n where ${party}`)
    assert.match(plan, /^Index(?: Only)? Scan using ap2_negotiation_open_(?:seller|buyer)\b/)
  }
})

test('a page of deals reads the newest deals of each party, not all of them', async () => {
  const { token } = market.buyer
  const { queries } = await recordQueries(() => service.http('GET', '/ap2/negotiations', { token }))
  const page = queries.find(({ text }) => text.includes(' union '))
  assert.ok(page)
  const values = [market.buyer.id, 21, market.buyer.id, 21, 20, 1]
  const plan = await planOf(service, { text: page.text, values, name: 'page' })
  assert.doesNotMatch(plan, /Seq Scan/)
  // Of the page and of each party.
  assert.equal(plan.match(/Limit /g)?.length, 3, plan)
})

test('escrows are not listed by a status that no list has', async () => {
  assert.equal((await as(market, 'buyer', '/payments/escrow?status=CANCELLED')).status, 400)
  assert.equal((await as(market, 'buyer', '/payments/escrow?status=HELD')).status, 200)
})
