import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, ledgerOwners, openAccounts, post } from '#ledger'
import { newId } from '#platform/kernel/id'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'

/** A Wednesday, later than any clock of a test. */
const LAST_EVENING = new Date('2031-12-31T23:30:00Z')

suite('sums of movements', () => {
  let testDb: TestDb
  const [wallet, other] = [accounts.wallet(newId()), accounts.wallet(newId())]
  before(async () => {
    testDb = await openTestDb()
    await testDb.db.transaction(tx =>
      openAccounts(
        tx,
        [wallet, other].map(account => ({ account, asset: 'USD' as const })),
      ),
    )
    testDb.clock.setOffset(LAST_EVENING.getTime() - Date.now())
    await move('fund', accounts.processor, wallet, 100n)
    await move('transfer', wallet, other, 30n)
    await move('transfer', other, wallet, 5n)
    testDb.clock.setOffset(LAST_EVENING.getTime() + 24 * 3_600_000 - Date.now())
    await move('transfer', wallet, other, 1n)
  })
  after(() => testDb.close())

  const move = (kind: string, debit: string, credit: string, amount: bigint) =>
    testDb.db.transaction(tx =>
      post(tx, { kind, key: newId(), legs: [{ debit, credit, amount, asset: 'USD' }] }),
    )
  const totals = async (how: Partial<ledgerOwners.TotalsQuery>, names: readonly string[] = [wallet]) => {
    const found = await ledgerOwners.totalsOf(testDb.db, names, {
      unit: 'month',
      from: LAST_EVENING,
      timeZone: 'UTC',
      ...how,
    })
    return {
      periods: found.periods.map(({ period, kind, amount, count }) => [period, kind, amount, count]),
      accounts: found.accounts.map(({ account, kind, amount, count }) => [account, kind, amount, count]),
    }
  }

  test('are made by period, kind and direction', async () => {
    assert.deepEqual((await totals({})).periods, [
      ['2031-12-01', 'fund', 100n, 1],
      ['2031-12-01', 'transfer', -30n, 1],
      ['2031-12-01', 'transfer', 5n, 1],
      ['2032-01-01', 'transfer', -1n, 1],
    ])
  })

  test('begin their days where the time zone does', async () => {
    const { periods } = await totals({ timeZone: 'Europe/Berlin', unit: 'day' })
    assert.deepEqual(
      periods.map(([period]) => period),
      ['2032-01-01', '2032-01-01', '2032-01-01', '2032-01-02'],
    )
  })

  test('begin their weeks on Monday', async () => {
    const { periods } = await totals({ unit: 'week' })
    assert.deepEqual([...new Set(periods.map(([period]) => period))], ['2031-12-29'])
  })

  test('begin with the whole period of the moment that is asked for', async () => {
    assert.equal((await totals({ from: new Date('2032-01-31T00:00:00Z') })).periods.length, 1)
    assert.equal((await totals({ from: new Date('2031-12-31T23:59:00Z') })).periods.length, 4)
  })

  test('are made of each account over the whole time', async () => {
    const { accounts: byAccount } = await totals({}, [wallet, other])
    assert.deepEqual(
      new Set(byAccount),
      new Set([
        [wallet, 'fund', 100n, 1],
        [wallet, 'transfer', -31n, 2],
        [wallet, 'transfer', 5n, 1],
        [other, 'transfer', 31n, 2],
        [other, 'transfer', -5n, 1],
      ]),
    )
  })
})
