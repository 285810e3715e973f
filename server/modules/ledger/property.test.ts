import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as fc from 'fast-check'
import { accounts, balancesOf, checkLedger, openAccounts, post, sealLedger, writeJournals } from '#ledger'
import type { ApiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { ASSETS, type Leg } from '#platform/kernel/money'
import { isInsufficientBalance } from './errors.ts'
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

  copy(): Model {
    const copy = new Model([...this.guarded])
    for (const each of this.balances) copy.balances.set(...each)
    for (const each of this.posted) copy.posted.set(...each)
    return copy
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

interface Fixture {
  run: string
  guarded: string[]
  all: string[]
  model: Model
}

/** Accounts of every kind that no other run uses. */
async function openFixture(): Promise<Fixture> {
  const run = newId()
  const guarded = [
    accounts.wallet(`a-${run}`),
    accounts.wallet(`b-${run}`),
    accounts.escrow(run),
    accounts.voucher(run),
  ]
  const others = [accounts.receivable(run), accounts.provider(run), accounts.custody('test', run)]
  const both = guarded.flatMap(account => ASSETS.map(asset => ({ account, asset })))
  await test.db.transaction(tx => openAccounts(tx, both))
  return { run, guarded, all: [...guarded, ...others], model: new Model(guarded) }
}

const legsOf = ({ all }: Fixture, { legs }: Pick<Step, 'legs'>): Leg[] =>
  legs.map(({ from, to, amount, usdc }): Leg => ({
    debit: all[from] ?? '',
    credit: all[to] ?? '',
    amount: BigInt(amount),
    asset: usdc ? 'USDC' : 'USD',
  }))

async function assertBalances({ all, model }: Fixture): Promise<void> {
  for (const asset of ASSETS)
    for (const [account, balance] of await balancesOf(test.db, all, asset))
      assert.equal(balance, model.balances.get(`${account} ${asset}`) ?? 0n, account)
}

it('random postings, replays and conflicts end as in a model in memory, and the books balance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
      const fixture = await openFixture()
      for (const each of steps) {
        const [key, posting] = [`${fixture.run}-${each.key}`, legsOf(fixture, each)]
        assert.equal(await outcome(key, posting), fixture.model.post(key, posting))
        if (each.seal) await sealLedger(test.db, test.secrets)
      }
      await assertBalances(fixture)
    }),
    { numRuns: 40 },
  )
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})

it('journals that are written together end as one after another: all of them, or none if one is refused', async () => {
  const outcomes = new Set<boolean>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 2, maxLength: 3 }), { minLength: 1 }),
      async groups => {
        const fixture = await openFixture()
        const legs = fixture.guarded.flatMap(credit =>
          ASSETS.map((asset): Leg => ({ debit: accounts.processor, credit, amount: 100n, asset })),
        )
        const first = `${fixture.run}-fund`
        assert.equal(await outcome(first, legs), fixture.model.post(first, legs))
        for (const [number, group] of groups.entries()) {
          const postings = group.map((each, index) => ({
            kind: 'random',
            key: `${fixture.run}-${number}-${index}`,
            legs: legsOf(fixture, each),
          }))
          const before = fixture.model.copy()
          const isPossible = postings.every(({ key, legs }) => fixture.model.post(key, legs) === 'posted')
          if (!isPossible) fixture.model = before
          outcomes.add(isPossible)
          const write = test.db.transaction(async tx => writeJournals(tx, postings))
          await (isPossible ? write : assert.rejects(write, isInsufficientBalance))
        }
        await assertBalances(fixture)
      },
    ),
    { numRuns: 40 },
  )
  assert.deepEqual(outcomes, new Set([true, false]))
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})
