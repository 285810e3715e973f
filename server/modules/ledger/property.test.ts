import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as fc from 'fast-check'
import { accounts, balancesOf, checkLedger, openAccounts, post, sealLedger } from '#ledger'
import type { ApiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import type { Asset, Leg } from '#platform/kernel/money'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'

let test: TestDb
before(async () => {
  test = await openTestDb()
})
after(() => test.close())

interface Step {
  key: number
  seal: boolean
  legs: { from: number; to: number; amount: number; usdc: boolean }[]
}

const leg = fc
  .record({ from: fc.nat(6), to: fc.nat(6), amount: fc.integer({ min: 1, max: 40 }), usdc: fc.boolean() })
  .filter(({ from, to }) => from !== to)
const step: fc.Arbitrary<Step> = fc.record({
  key: fc.nat(9),
  seal: fc.integer({ min: 0, max: 5 }).map(n => n === 0),
  legs: fc.array(leg, { minLength: 1, maxLength: 5 }),
})

/** The ledger in a few lines of memory. */
class Model {
  readonly balances = new Map<string, bigint>()
  readonly posted = new Map<string, string>()
  readonly guarded: Set<string>

  constructor(guarded: string[]) {
    this.guarded = new Set(guarded)
  }

  post(key: string, legs: Leg[]): 'posted' | 'replayed' | 'conflict' | 'insufficient' {
    const text = legs
      .map(({ debit, credit, amount, asset }) => `${debit} ${credit} ${amount} ${asset}`)
      .sort()
      .join()
    const first = this.posted.get(key)
    if (first !== undefined) return first === text ? 'replayed' : 'conflict'
    const after = new Map(this.balances)
    const move = (account: string, amount: bigint) => after.set(account, (after.get(account) ?? 0n) + amount)
    for (const { debit, credit, amount, asset } of legs) {
      move(`${debit} ${asset}`, -amount)
      move(`${credit} ${asset}`, amount)
    }
    for (const [account, balance] of after)
      if (balance < 0n && this.guarded.has(account.split(' ')[0] ?? '')) return 'insufficient'
    this.posted.set(key, text)
    for (const [account, balance] of after) this.balances.set(account, balance)
    return 'posted'
  }
}

async function outcome(key: string, legs: Leg[]): Promise<string> {
  try {
    const { replayed } = await test.db.transaction(tx => post(tx, { kind: 'random', key, legs }))
    return replayed ? 'replayed' : 'posted'
  } catch (error) {
    if ((error as ApiError).row?.code === 'POSTING_KEY_REUSED') return 'conflict'
    if ((error as { constraint?: string }).constraint === 'ledger_balance_not_negative') return 'insufficient'
    throw error
  }
}

it('random postings, replays and conflicts end as in a model in memory, and the books balance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
      const run = newId()
      const guarded = [
        accounts.wallet(`a-${run}`),
        accounts.wallet(`b-${run}`),
        accounts.escrow(run),
        accounts.voucher(run),
      ]
      const all = [
        ...guarded,
        accounts.receivable(run),
        accounts.provider(run),
        accounts.custody('test', run),
      ]
      await test.db.transaction(tx =>
        openAccounts(
          tx,
          guarded.flatMap(account => (['USD', 'USDC'] as Asset[]).map(asset => ({ account, asset }))),
        ),
      )
      const model = new Model(guarded)
      for (const { key, seal, legs } of steps) {
        const posting = legs.map(({ from, to, amount, usdc }): Leg => ({
          debit: all[from] ?? '',
          credit: all[to] ?? '',
          amount: BigInt(amount),
          asset: usdc ? 'USDC' : 'USD',
        }))
        assert.equal(await outcome(`${run}-${key}`, posting), model.post(`${run}-${key}`, posting))
        if (seal) await sealLedger(test.db, test.secrets)
      }
      for (const asset of ['USD', 'USDC'] as const) {
        for (const [account, balance] of await balancesOf(test.db, all, asset))
          assert.equal(balance, model.balances.get(`${account} ${asset}`) ?? 0n, account)
      }
    }),
    { numRuns: 40 },
  )
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})
