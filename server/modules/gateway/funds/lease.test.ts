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

  test('that cannot be closed does not stop the sweep of the others', async () => {
    const { db } = service.services
    const funds = createFunds(service.services)
    for (let at = 0; at < 2; at++) {
      const { id } = await registerHuman(service)
      await creditRouting(db, id, 1_000_000n)
      await reserveExactly(funds, routingKey(id), 1000n)
    }
    const [broken, other] = funds.leaseIds()
    assert.ok(broken && other)
    await db.run(
      sql`update gateway_lease set expires_at = clock_timestamp() - interval '1 hour' where id = ${broken}`,
    )
    await db.run(sql`update gateway_lease set expires_at = clock_timestamp() where id = ${other}`)
    const statusOf = async (id: string) =>
      (await db.one(sql<{ status: string }>`select status from gateway_lease where id = ${id}`)).status
    await db.raw(`create function keep_lease_open() returns trigger language plpgsql as
      $$ begin raise exception 'this lease cannot be closed'; end $$;
      create trigger keep_lease_open before update of status on gateway_lease for each row
      when (old.id = '${broken}') execute function keep_lease_open()`)
    const sweeper = createFunds(service.services)
    try {
      await sweeper.sweep()
      await sweeper.sweep()
      assert.deepEqual([await statusOf(broken), await statusOf(other)], ['OPEN', 'CLOSED'])
    } finally {
      await db.raw(`drop trigger keep_lease_open on gateway_lease; drop function keep_lease_open()`)
    }
    await sweeper.sweep()
    assert.equal(await statusOf(broken), 'CLOSED')
    await funds.stop()
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
