import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  balanceOf,
  checkLedger,
  entriesOf,
  freezeAccount,
  writeJournal,
  writeJournals,
} from '#ledger'
import { isInsufficientBalance } from './errors.ts'
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

/** What happened to an account, newest first. */
const movesOf = async (account: string): Promise<(bigint | null)[][]> => {
  const { entries } = await entriesOf(test.db, [account], { limit: 50, offset: 0 })
  return entries.map(({ amount, balanceAfter }) => [amount, balanceAfter])
}

describe('posting with the commit', () => {
  const write = (key: string, legs: Leg[], opens: string[] = []) =>
    test.db.transaction(async tx => writeJournal(tx, { kind: 'test', key, legs }, opens))

  it('opens the accounts that it names', async () => {
    const { wallet } = await walletAndEscrow(test, 100n)
    const escrow = accounts.escrow(newId())
    const journal = await write(newId(), [usd(wallet, escrow, 60n)], [escrow])
    assert.equal(journal.replayed, false)
    assert.equal(await balanceOf(test.db, escrow, 'USD'), 60n)
    assert.deepEqual(await movesOf(escrow), [[60n, 60n]])
  })

  it('fails the commit where a balance would fall below zero, and opens nothing', async () => {
    const { wallet } = await walletAndEscrow(test, 100n)
    const escrow = accounts.escrow(newId())
    await assert.rejects(write(newId(), [usd(wallet, escrow, 101n)], [escrow]), isInsufficientBalance)
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 100n)
    await assert.rejects(
      test.db.transaction(tx => lockBalance(tx, escrow, 'USD')),
      /never opened/,
    )
  })

  it('fails the commit for a key that exists, and for a guarded account that was never opened', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    const key = newId()
    await write(key, [usd(wallet, escrow, 10n)])
    await assert.rejects(write(key, [usd(wallet, escrow, 10n)]), /was not written/)
    await assert.rejects(write(newId(), [usd(wallet, accounts.escrow(newId()), 10n)]), /was not written/)
    assert.equal(await balanceOf(test.db, escrow, 'USD'), 10n)
  })
})

describe('posting several journals with the commit', () => {
  const write = (...postings: [key: string, ...legs: Leg[]][]) =>
    test.db.transaction(async tx =>
      writeJournals(
        tx,
        postings.map(([key, ...legs]) => ({ kind: 'test', key, legs })),
      ),
    )

  it('writes the balance after each of them, in their order', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    await write(
      [newId(), usd(wallet, escrow, 60n)],
      [newId(), usd(escrow, wallet, 50n), usd(escrow, accounts.marketplaceFee, 10n)],
      [newId(), usd(wallet, escrow, 90n)],
    )
    assert.deepEqual(await movesOf(wallet), [
      [-90n, 0n],
      [50n, 90n],
      [-60n, 40n],
      [100n, 100n],
    ])
    assert.deepEqual(await movesOf(escrow), [
      [90n, 90n],
      [-60n, 0n],
      [60n, 60n],
    ])
  })

  it('writes nothing where the money of a later one would be needed before', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    const first = [newId(), usd(escrow, wallet, 10n)] as const
    await assert.rejects(write([...first], [newId(), usd(wallet, escrow, 50n)]), isInsufficientBalance)
    assert.deepEqual(await movesOf(escrow), [])
  })

  it('writes nothing where one key exists, twice is the same, or an account was never opened', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    const key = newId()
    await write([key, usd(wallet, escrow, 10n)])
    const another = [newId(), usd(wallet, escrow, 1n)] as const
    await assert.rejects(write([...another], [key, usd(wallet, escrow, 10n)]), /was not written/)
    await assert.rejects(write([...another], [...another]), /was not written/)
    const closed = accounts.escrow(newId())
    await assert.rejects(write([...another], [newId(), usd(wallet, closed, 1n)]), /was not written/)
    assert.equal(await balanceOf(test.db, escrow, 'USD'), 10n)
  })

  it('takes nothing from a frozen account', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    await test.db.transaction(tx => freezeAccount(tx, wallet, 'USD', 'test'))
    const frozen = { constraint: 'ledger_balance_frozen' }
    await assert.rejects(
      write([newId(), usd(accounts.processor, wallet, 5n)], [newId(), usd(wallet, escrow, 10n)]),
      frozen,
    )
    await write(
      [newId(), usd(accounts.processor, wallet, 5n)],
      [newId(), usd(accounts.processor, escrow, 5n)],
    )
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 105n)
  })
})

it('the books balance after all of the above', async () => {
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})
