import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, balanceOf, checkLedger, freezeAccount, openAccounts, post } from '#ledger'
import { isInsufficientBalance } from './errors.ts'
import { lockBalance } from './ledger.ts'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'

let test: TestDb
before(async () => {
  test = await openTestDb()
})
after(() => test.close())

const CALLERS = 64
const callers = Array.from({ length: CALLERS }, (_, n) => n)

async function wallet(funds: bigint): Promise<string> {
  const account = accounts.wallet(newId())
  await test.db.transaction(async tx => {
    await openAccounts(tx, [{ account, asset: 'USD' }])
    if (funds)
      await post(tx, {
        kind: 'fund',
        key: newId(),
        legs: [{ debit: accounts.processor, credit: account, amount: funds, asset: 'USD' }],
      })
  })
  return account
}

type Transfer = (tx: Tx, from: string, to: string, amount: bigint) => Promise<unknown>

const ours: Transfer = (tx, debit, credit, amount) =>
  post(tx, { kind: 'transfer', key: newId(), legs: [{ debit, credit, amount, asset: 'USD' }] })

/** How money gets lost: the balance is read, judged in the program and written back. */
const naive: Transfer = async (tx, from, to, amount) => {
  const held = await balanceOf(tx, from, 'USD')
  if (held < amount) throw new Error('Insufficient balance')
  const there = await balanceOf(tx, to, 'USD')
  await tx.run(sql`update ledger_balance set balance = ${held - amount} where account = ${from}`)
  await tx.run(sql`update ledger_balance set balance = ${there + amount} where account = ${to}`)
}

/** 64 callers at once move 1 out of an account that covers 10. */
async function drain(transfer: Transfer) {
  const from = await wallet(10n)
  const to = await wallet(0n)
  const results = await Promise.allSettled(
    callers.map(() => test.db.transaction(tx => transfer(tx, from, to, 1n))),
  )
  const refusals = results.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
  return {
    passed: CALLERS - refusals.length,
    refusals,
    left: await balanceOf(test.db, from, 'USD'),
    moved: await balanceOf(test.db, to, 'USD'),
  }
}

it('64 transfers at once from an account that covers 10: exactly 10 pass, the others fail with 400 Insufficient balance', async () => {
  const { passed, refusals, left, moved } = await drain(ours)
  assert.deepEqual({ passed, left, moved }, { passed: 10, left: 0n, moved: 10n })
  assert.ok(refusals.every(isInsufficientBalance))
})

it('the naive transfer loses money in the same race: the test above can fail', async () => {
  const { passed, left, moved } = await drain(naive)
  assert.ok(
    passed > 10 || left + moved !== 10n || BigInt(passed) !== moved,
    `naive came through: ${passed} passed, ${left} left, ${moved} moved`,
  )
  assert.notDeepEqual((await checkLedger(test.db)).findings, [])
  await test.db.run(
    sql`update ledger_balance b set balance = coalesce((select sum(amount) from ledger_entry e where e.account = b.account), 0)`,
  )
})

/** Deadlocks that the database saw; `transaction` would try again and hide them. */
async function deadlocks(): Promise<bigint> {
  const { seen } = await test.db.one(
    sql<{ seen: bigint }>`select deadlocks as seen from pg_stat_database where datname = current_database()`,
  )
  return seen
}

async function attempt(work: (tx: Tx) => Promise<unknown>, failures: unknown[]): Promise<void> {
  let tries = 0
  await test.db
    .transaction(async tx => {
      tries += 1
      await work(tx)
    })
    .catch((error: unknown) => failures.push(error))
  if (tries > 1) failures.push(new Error('had to be tried again'))
}

it('transfers in opposite directions and in circles do not deadlock', { timeout: 60_000 }, async () => {
  const [a, b, c] = [await wallet(1000n), await wallet(1000n), await wallet(1000n)]
  const failures: unknown[] = []
  const before = await deadlocks()
  const ways = [
    [a, b],
    [b, a],
    [b, c],
    [c, a],
    [a, c],
    [c, b],
  ] as const
  await Promise.all(
    callers.map(async n => {
      for (let round = 0; round < 4; round++) {
        const [debit, credit] = ways[(n + round) % ways.length] ?? [a, b]
        await attempt(tx => ours(tx, debit, credit, 1n), failures)
      }
    }),
  )
  assert.deepEqual(failures, [])
  assert.equal(await deadlocks(), before)
  const sums = await Promise.all([a, b, c].map(account => balanceOf(test.db, account, 'USD')))
  assert.equal(
    sums.reduce((sum, balance) => sum + balance, 0n),
    3000n,
  )
})

it('one key posted by 64 callers at once makes one journal', async () => {
  const from = await wallet(100n)
  const to = await wallet(0n)
  const key = newId()
  const failures: unknown[] = []
  const journals: { id: string; replayed: boolean }[] = []
  await Promise.all(
    callers.map(() =>
      attempt(async tx => {
        journals.push(
          await post(tx, {
            kind: 'transfer',
            key,
            legs: [{ debit: from, credit: to, amount: 7n, asset: 'USD' }],
          }),
        )
      }, failures),
    ),
  )
  assert.deepEqual(failures, [])
  assert.equal(new Set(journals.map(journal => journal.id)).size, 1)
  assert.equal(journals.filter(journal => !journal.replayed).length, 1)
  assert.equal(await balanceOf(test.db, to, 'USD'), 7n)
})

it('whoever holds the balance first posts first: another posting of the same key waits for the balance, not the key', async () => {
  const from = await wallet(100n)
  const to = await wallet(0n)
  const key = newId()
  const failures: unknown[] = []
  const transfer = (tx: Tx) =>
    post(tx, { kind: 'transfer', key, legs: [{ debit: from, credit: to, amount: 7n, asset: 'USD' }] })
  let waiting: Promise<void> | undefined
  await attempt(async holder => {
    await lockBalance(holder, from, 'USD')
    waiting ??= attempt(transfer, failures)
    await someoneWaits()
    await transfer(holder)
  }, failures)
  await waiting
  assert.deepEqual(failures, [])
  assert.equal(await balanceOf(test.db, to, 'USD'), 7n)
})

/** Returns when a statement of this database waits for a lock. */
async function someoneWaits(): Promise<void> {
  const deadline = Date.now() + 30_000
  for (let waits = false; !waits; await sleep(5)) {
    assert.ok(Date.now() < deadline, 'nobody waits for a lock')
    const { count } = await test.db.one(sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    waits = count > 0
  }
}

it('one key with different legs at once: one set of legs is posted, the callers with others get a conflict', async () => {
  const from = await wallet(100n)
  const to = await wallet(0n)
  const key = newId()
  const results = await Promise.allSettled(
    callers.map(n =>
      test.db.transaction(tx =>
        post(tx, {
          kind: 'transfer',
          key,
          legs: [{ debit: from, credit: to, amount: BigInt(1 + (n % 2)), asset: 'USD' }],
        }),
      ),
    ),
  )
  assert.equal(results.filter(result => result.status === 'fulfilled').length, CALLERS / 2)
  const refusals = results.flatMap(result =>
    result.status === 'rejected' ? [(result.reason as Error).message] : [],
  )
  assert.ok(refusals.every(message => message === 'Posting key was used for other legs'))
})

it('a freeze among debits: nothing leaves after it', async () => {
  const from = await wallet(1000n)
  const to = await wallet(0n)
  const freeze = test.db.transaction(async tx => {
    await freezeAccount(tx, from, 'USD', 'operator')
    return lockBalance(tx, from, 'USD')
  })
  const debits = callers.map(() => test.db.transaction(tx => ours(tx, from, to, 1n)))
  await Promise.allSettled(debits)
  assert.equal(await balanceOf(test.db, from, 'USD'), await freeze)
  await assert.rejects(
    test.db.transaction(tx => ours(tx, from, to, 1n)),
    { constraint: 'ledger_balance_frozen' },
  )
})

it('the fee account has no row to wait for: two open transactions both post a fee', async () => {
  const [a, b] = [await wallet(10n), await wallet(10n)]
  await test.db.transaction(async first => {
    await ours(first, a, accounts.marketplaceFee, 1n)
    await test.db.transaction(second => ours(second, b, accounts.marketplaceFee, 2n))
  })
  assert.equal(await balanceOf(test.db, accounts.marketplaceFee, 'USD'), 3n)
})

it('the books balance after all of the above', async () => {
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})
