import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdingLocks, registerHuman, sharedService, type TestService } from '#test'
import {
  creditRouting,
  race,
  reserveExactly,
  routingKey,
  usageRecord,
} from '../../../../test/support/gateway/funds.ts'
import { accounts, balanceOf } from '#ledger'
import { sql } from '#platform/kernel/sql'
import type { UsageRecord } from '../core/funds.ts'
import { createFunds, type InstanceFunds } from './index.ts'
import { deleteBudgetsOf, deleteEndedBudgets, lockBudgets } from './sql.ts'
import { TIMING } from './timing.ts'

const WORST = 10_000n
const CALLERS = 50
const FITTING = 7

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

const routingBalance = (accountId: string) =>
  balanceOf(service.services.db, accounts.testRouting(accountId), 'USD')
const usageOf = (accountId: string) =>
  service.services.db.one(sql<{ rows: number; charged: bigint }>`
    select count(*)::int as rows, coalesce(sum(cost + fee), 0)::bigint as charged from gateway_usage where account_id = ${accountId}`)

async function withFunds(work: (funds: InstanceFunds, accountId: string) => Promise<void>): Promise<void> {
  const funds = createFunds(service.services)
  const { id } = await registerHuman(service)
  try {
    await work(funds, id)
  } finally {
    await funds.stop()
  }
}

test('of 50 parallel requests on a balance for 7 exactly 7 pass', async () => {
  await withFunds(async (funds, accountId) => {
    await creditRouting(service.services.db, accountId, WORST * BigInt(FITTING))
    const key = routingKey(accountId)
    const { passed, refused } = await race(
      Array.from({ length: CALLERS }, () => reserveExactly(funds, key, WORST)),
    )
    assert.deepEqual([passed.length, refused], [FITTING, Array(CALLERS - FITTING).fill(402)])
    for (const reservation of passed) reservation.settle(usageRecord(key, 5000n))
    // What was not used is free at once.
    const next = await reserveExactly(funds, key, WORST)
    next.release()
    await funds.stop()
    const { rows, charged } = await usageOf(accountId)
    assert.deepEqual([rows, charged], [FITTING, 5400n * BigInt(FITTING)])
    assert.equal(await routingBalance(accountId), WORST * BigInt(FITTING) - charged)
  })
})

test('two instances together let exactly 7 of 50 pass', async () => {
  const second = createFunds(service.services)
  await withFunds(async (funds, accountId) => {
    await creditRouting(service.services.db, accountId, WORST * BigInt(FITTING))
    const key = routingKey(accountId)
    const { passed } = await race(
      Array.from({ length: CALLERS }, (_, index) => reserveExactly(index % 2 ? funds : second, key, WORST)),
    )
    assert.equal(passed.length, FITTING)
    for (const reservation of passed) reservation.settle(usageRecord(key, 9000n))
    await Promise.all([funds.stop(), second.stop()])
    const { charged } = await usageOf(accountId)
    assert.equal(await routingBalance(accountId), WORST * BigInt(FITTING) - charged)
  })
})

test('an instance returns what it does not use to one that asks', async () => {
  const second = createFunds(service.services)
  await withFunds(async (funds, accountId) => {
    await creditRouting(service.services.db, accountId, WORST)
    const key = routingKey(accountId)
    const first = await reserveExactly(funds, key, WORST)
    first.release()
    const other = await reserveExactly(second, key, WORST)
    assert.equal(other.amount, WORST)
    other.release()
    await second.stop()
    await funds.stop()
    assert.equal(await routingBalance(accountId), WORST)
  })
})

test('a budget for one lets exactly one of 50 first requests pass', async () => {
  const second = createFunds(service.services)
  await withFunds(async (funds, accountId) => {
    await creditRouting(service.services.db, accountId, WORST * 1000n)
    for (const [limits, endUser] of [
      [{ dailyUsd: WORST }, null],
      [{ weeklyUsd: WORST, monthlyUsd: WORST * 2n }, null],
      [{ endUserDailyUsd: WORST, dailyUsd: WORST * 5n }, 'someone'],
    ] as const) {
      const key = routingKey(accountId, limits)
      const { passed, refused } = await race(
        Array.from({ length: CALLERS }, (_, index) =>
          reserveExactly(index % 2 ? funds : second, key, WORST, { endUser }),
        ),
      )
      assert.deepEqual([passed.length, refused], [1, Array(CALLERS - 1).fill(402)])
      // Less was spent than reserved: the rest of the budget is available to both at once.
      passed[0]?.settle(usageRecord(key, 1000n))
      for (const each of [funds, second]) {
        const next = await reserveExactly(each, key, WORST - 1080n, { endUser })
        next.release()
      }
    }
    await second.stop()
  })
})

test('a row that the database refuses for a text is charged without its texts', async () => {
  await withFunds(async (funds, accountId) => {
    await creditRouting(service.services.db, accountId, WORST * 10n)
    const key = routingKey(accountId)
    const settle = async (more: Partial<UsageRecord>) => {
      const reservation = await reserveExactly(funds, key, WORST)
      reservation.settle(usageRecord(key, 1000n, more))
    }
    // A lone surrogate is no character: the statement fails, and with it the batch.
    await settle({ decision: { kind: '\ud83d' }, endUser: 'reader' })
    await settle({ endUser: 'reader' })
    await funds.stop()
    assert.deepEqual(await usageOf(accountId), { rows: 2, charged: 2160n })
    assert.equal(await routingBalance(accountId), WORST * 10n - 2160n)
  })
})

test('a lease in use returns the blocks of budgets that nothing uses, and locks no other budget', async () => {
  const { db } = service.services
  const { id: accountId } = await registerHuman(service)
  await creditRouting(db, accountId, WORST * 100n)
  const funds = createFunds(service.services, { ...TIMING, idleMs: 0, flushMs: 3_600_000 })
  const key = routingKey(accountId, { endUserDailyUsd: WORST })
  const blocks = async () =>
    (
      await db.rows(sql<{ budgetId: string }>`
        select budget_id from gateway_budget_block join gateway_budget b on b.id = budget_id where b.account_id = ${accountId}`)
    ).map(({ budgetId }) => budgetId)
  const spend = async (endUser: string, amount: bigint, cost: bigint) =>
    (await reserveExactly(funds, key, amount, { endUser })).settle(usageRecord(key, cost))
  const tidy = async () => {
    await funds.flush()
    await funds.tidy()
  }
  const held = await reserveExactly(funds, key, WORST, { endUser: 'in use' })
  const inUse = await blocks()
  assert.equal(inUse.length, 1)
  // A part of one block is left to return, and nothing of the other.
  await spend('first', WORST, 1000n)
  await spend('second', 1080n, 1000n)
  await spend('second', WORST - 1080n, WORST)
  // Not in the database yet: these blocks must stay.
  await funds.tidy()
  assert.equal((await blocks()).length, 3)
  await db.transaction(async tx => {
    await tx.rows(lockBudgets(inUse))
    await tidy()
  })
  assert.deepEqual(await blocks(), inUse)
  // A block that was deleted is taken again, from what is left of the budget.
  await spend('first', WORST - 1080n, 1000n)
  await assert.rejects(reserveExactly(funds, key, 1n, { endUser: 'second' }), /budget/i)
  assert.equal((await blocks()).length, 2)
  held.release()
  await funds.stop()
  assert.deepEqual(await blocks(), [])
  const { spent, allotted } = await db.one(sql<{ spent: bigint; allotted: bigint }>`
    select sum(spent)::bigint as spent, sum(allotted)::bigint as allotted from gateway_budget where account_id = ${accountId}`)
  assert.deepEqual([spent, allotted], [(await usageOf(accountId)).charged, 0n])
})

test('a budget of which a lease takes a block at the moment of its deletion stays', async () => {
  await withFunds(async (funds, accountId) => {
    const { db } = service.services
    await creditRouting(db, accountId, WORST * 10n)
    ;(await reserveExactly(funds, routingKey(accountId), WORST)).release()
    const [leaseId] = funds.leaseIds()
    const budgetId = `ended-${accountId}`
    await db.run(sql`
      insert into gateway_budget (id, account_id, key_id, ends_at)
      values (${budgetId}, ${accountId}, ${routingKey(accountId).id}, '2020-01-01')`)
    await holdingLocks(service, async holder => {
      await holder.query('update gateway_budget set allotted = 5 where id = $1', [budgetId])
      await holder.query(
        'insert into gateway_budget_block (lease_id, budget_id, amount) values ($1, $2, 5)',
        [leaseId, budgetId],
      )
      const deletions = Promise.all([
        db.run(deleteEndedBudgets(new Date('2020-01-02'))),
        db.run(deleteBudgetsOf(accountId)),
      ])
      await holder.waiters(1)
      await holder.commit()
      await deletions
    })
    const { allotted } = await db.one(
      sql<{ allotted: bigint }>`select allotted from gateway_budget where id = ${budgetId}`,
    )
    assert.equal(allotted, 5n)
  })
})
