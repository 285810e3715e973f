import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  balanceOf,
  checkLedger,
  entriesOf,
  freezeAccount,
  journalsOf,
  lockBalances,
  openAccounts,
  post,
  unfreezeAccount,
} from '#ledger'
import { freezesOf, trialBalance } from './statement.ts'
import { ledgerConstraints } from './errors.ts'
import { lockBalance } from './ledger.ts'
import { newId } from '#platform/kernel/id'
import type { Leg } from '#platform/kernel/money'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'
import { usd, walletAndEscrow } from '../../../test/support/database/ledger.ts'

let test: TestDb
before(async () => {
  test = await openTestDb()
})
after(() => test.close())

const page = { limit: 50, offset: 0 }

const postOne = (key: string, ...legs: Leg[]) =>
  test.db.transaction(tx => post(tx, { kind: 'test', key, legs }))

describe('frozen accounts', () => {
  it('refuse debits and take credits until the last reason is lifted', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    await test.db.transaction(async tx => {
      await freezeAccount(tx, wallet, 'USD', 'key revoked')
      await freezeAccount(tx, wallet, 'USD', 'key revoked')
      await freezeAccount(tx, wallet, 'USD', 'chargeback')
    })
    assert.deepEqual(await freezesOf(test.db, wallet, 'USD'), ['key revoked', 'chargeback'])
    const refused = await postOne(newId(), usd(wallet, escrow, 1n)).catch(
      (error: unknown) => error as { constraint: string },
    )
    assert.ok('constraint' in refused)
    assert.equal(ledgerConstraints[refused.constraint]?.code, 'ACCOUNT_FROZEN')
    await postOne(newId(), usd(accounts.processor, wallet, 1n))
    assert.deepEqual(await test.db.transaction(tx => unfreezeAccount(tx, wallet, 'USD', 'key revoked')), [
      'chargeback',
    ])
    await assert.rejects(postOne(newId(), usd(wallet, escrow, 1n)))
    assert.deepEqual(await test.db.transaction(tx => unfreezeAccount(tx, wallet, 'USD', 'chargeback')), [])
    await postOne(newId(), usd(wallet, escrow, 11n))
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 0n)
  })

  it('must have been opened and must be guarded', async () => {
    const freeze = (account: string) =>
      test.db.transaction(tx => freezeAccount(tx, account, 'USD', 'operator'))
    await assert.rejects(freeze(accounts.escrow(newId())), /never opened/)
    await assert.rejects(freeze(accounts.marketplaceFee), /not guarded/)
    assert.deepEqual(await freezesOf(test.db, accounts.escrow(newId()), 'USD'), [])
  })
})

describe('balances and statements', () => {
  it('opening an account twice, or an unguarded one, changes nothing', async () => {
    const { wallet } = await walletAndEscrow(test, 10n)
    await test.db.transaction(tx =>
      openAccounts(tx, [
        { account: wallet, asset: 'USD' },
        { account: accounts.processor, asset: 'USD' },
      ]),
    )
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 10n)
  })

  it('locks balances of guarded accounts only, and answers each', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    assert.equal(await test.db.transaction(tx => lockBalance(tx, wallet, 'USD')), 10n)
    assert.deepEqual(
      await test.db.transaction(tx => lockBalances(tx, [wallet, escrow], 'USD')),
      new Map([
        [escrow, 0n],
        [wallet, 10n],
      ]),
    )
    await assert.rejects(
      test.db.transaction(tx => lockBalance(tx, accounts.processor, 'USD')),
      /not guarded/,
    )
    await assert.rejects(
      test.db.transaction(tx => lockBalance(tx, accounts.wallet(newId()), 'USD')),
      /never opened/,
    )
  })

  it('answers 0 for accounts that were never used', async () => {
    assert.equal(await balanceOf(test.db, accounts.wallet(newId()), 'USD'), 0n)
    assert.equal(await balanceOf(test.db, accounts.receivable(newId()), 'USD'), 0n)
  })

  it('pages through entries of several accounts, newest first', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    for (let n = 1n; n <= 3n; n++) await postOne(newId(), usd(wallet, escrow, n))
    const all = (await entriesOf(test.db, [wallet, escrow], page)).entries
    assert.equal(all.length, 7)
    const second = await entriesOf(test.db, [wallet, escrow], { limit: 3, offset: 3 })
    assert.deepEqual(second, { entries: all.slice(3, 6), counted: 7 })
  })

  it('shows all legs of the journals that touch an account, oldest first', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    await postOne(newId(), usd(wallet, escrow, 8n), usd(wallet, accounts.marketplaceFee, 2n))
    const legs = await journalsOf(test.db, wallet)
    assert.deepEqual(
      legs.map(leg => [leg.debit, leg.credit, leg.amount]),
      [
        [accounts.processor, wallet, 10n],
        [wallet, escrow, 8n],
        [wallet, accounts.marketplaceFee, 2n],
      ],
    )
    assert.ok(legs.every(leg => /^[0-9a-f]{64}$/.test(leg.hash)))
  })

  it('gives a trial balance that sums to zero in each asset', async () => {
    const trial = await trialBalance(test.db)
    for (const asset of ['USD', 'USDC'])
      assert.equal(
        trial.filter(row => row.asset === asset).reduce((sum, row) => sum + row.balance, 0n),
        0n,
      )
    assert.equal(trial.find(row => row.code === '2010')?.name, 'wallet')
  })
})

it('the books balance after all of the above', async () => {
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})
