import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { as, openMarket, sharedService, type Market, type TestService } from '#test'
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
  const plan = await planOf(service, sql`select from ap2_negotiation n where ${openDealsOf(newId())}`)
  // Of an empty table either of both indexes may serve either side.
  assert.equal(plan.match(/ap2_negotiation_open_(?:seller|buyer) on ap2_negotiation/g)?.length, 2)
  assert.doesNotMatch(plan, /ap2_negotiation_(?:seller|buyer)/)
  assert.doesNotMatch(plan, /Seq Scan/)
})

test('escrows are not listed by a status that no list has', async () => {
  assert.equal((await as(market, 'buyer', '/payments/escrow?status=CANCELLED')).status, 400)
  assert.equal((await as(market, 'buyer', '/payments/escrow?status=HELD')).status, 200)
})
