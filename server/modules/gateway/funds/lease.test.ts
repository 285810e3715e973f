import assert from 'node:assert/strict'
import { after, before, mock, suite, test } from 'node:test'
import { registerHuman, sharedService, type TestService } from '#test'
import { strandedStates } from '#platform/kernel/machine'
import { sql } from '#platform/kernel/sql'
import {
  creditRouting,
  reserveExactly,
  routingKey,
  usageRecord,
} from '../../../../test/support/gateway/funds.ts'
import { createFunds } from './index.ts'
import { leaseMachine } from './lease-machine.ts'
import { chargeOf, planBlocks } from './plan.ts'

suite('a lease', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  test('is not used for a reservation with less than 5 s left', async () => {
    const { db } = service.services
    const { id } = await registerHuman(service)
    await creditRouting(db, id, 1_000_000n)
    const [funds, sweeper] = [createFunds(service.services), createFunds(service.services)]
    const key = routingKey(id)
    const reserve = async () => (await reserveExactly(funds, key, 1000n)).release()
    await reserve()
    const [lease] = funds.leaseIds()
    await db.run(sql`update gateway_lease set expires_at = clock_timestamp() where id = ${lease}`)
    await sweeper.sweep()
    const real = performance.now.bind(performance)
    const ahead = mock.method(performance, 'now', () => real() + 20_000)
    await reserve()
    assert.deepEqual(funds.leaseIds(), [lease], 'the instance does not know yet that it was closed')
    ahead.mock.mockImplementation(() => real() + 25_000)
    await reserve()
    ahead.mock.restore()
    assert.notDeepEqual(funds.leaseIds(), [lease])
    await funds.stop()
  })

  test('that was closed meanwhile charges nothing, and of test credit nobody bears the cost', async () => {
    const { db } = service.services
    for (const test of [true, false]) {
      const { id } = await registerHuman(service)
      await creditRouting(db, id, 1_000_000n, test)
      const [funds, sweeper] = [createFunds(service.services), createFunds(service.services)]
      const key = routingKey(id)
      const reservation = await reserveExactly(funds, key, 1000n, { test })
      await db.run(sql`update gateway_lease set expires_at = clock_timestamp() where account_id = ${id}`)
      await sweeper.sweep()
      reservation.settle(usageRecord(key, 500n))
      await funds.stop()
      const rows = await db.rows(sql<{ charged: bigint; borne: bigint }>`
        select cost + fee as charged, borne from gateway_usage where account_id = ${id}`)
      assert.deepEqual(rows, [{ charged: 0n, borne: test ? 0n : 500n }])
    }
  })

  test('is closed by a timer, if by nothing else', () => {
    assert.deepEqual(strandedStates(leaseMachine), [])
  })
})

test('a block is a quarter of what is left, and at least what is needed', () => {
  const take = (left: bigint, needed: bigint) =>
    planBlocks(
      [{ pots: ['money'], minimum: needed, wanted: needed }],
      new Map([['money', { free: 0n, left }]]),
    ).take.get('money')
  assert.deepEqual(
    [take(400n, 1n), take(400n, 300n), take(9_000_000n, 1n), take(40_000_000n, 2_000_000n), take(5n, 9n)],
    [100n, 300n, 1_000_000n, 2_000_000n, 0n],
  )
})

test('a charge is never above its reservation, and the fee yields to the cost', () => {
  assert.deepEqual(chargeOf(108n, { cost: 100n, fee: 8n }), { cost: 100n, fee: 8n, borne: 0n })
  assert.deepEqual(chargeOf(104n, { cost: 100n, fee: 8n }), { cost: 100n, fee: 4n, borne: 0n })
  assert.deepEqual(chargeOf(90n, { cost: 100n, fee: 8n }), { cost: 90n, fee: 0n, borne: 10n })
})
