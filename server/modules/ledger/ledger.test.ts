import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  balanceOf,
  balancesOf,
  checkLedger,
  entriesOf,
  freezeAccount,
  openAccounts,
  post,
} from '#ledger'
import { nameOf } from './accounts.ts'
import { isInsufficientBalance, ledgerConstraints } from './errors.ts'
import { ApiError } from '#platform/kernel/errors'
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

describe('posting', () => {
  it('moves every balance of a journal at once and writes signed entries with the balance after', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    const seller = accounts.wallet(newId())
    await test.db.transaction(tx => openAccounts(tx, [{ account: seller, asset: 'USD' }]))
    await postOne(newId(), usd(wallet, escrow, 100n))
    const key = newId()
    const journal = await test.db.transaction(tx =>
      post(tx, {
        kind: 'release',
        key,
        memo: 'half',
        reference: { escrowId: 'e1' },
        legs: [usd(escrow, seller, 40n), usd(escrow, accounts.marketplaceFee, 10n)],
      }),
    )
    assert.deepEqual(
      { ...journal, id: '', at: '' },
      { id: '', at: '', kind: 'release', key, memo: 'half', reference: { escrowId: 'e1' }, replayed: false },
    )
    assert.deepEqual(
      await balancesOf(test.db, [wallet, escrow, seller], 'USD'),
      new Map([
        [wallet, 0n],
        [escrow, 50n],
        [seller, 40n],
      ]),
    )
    const { entries, counted } = await entriesOf(test.db, [escrow], page)
    assert.equal(counted, 2)
    assert.deepEqual(
      entries.map(entry => [entry.kind, entry.amount, entry.balanceAfter, entry.counterparts]),
      [
        ['release', -50n, 50n, [nameOf(seller), 'marketplace fee']],
        ['test', 100n, 100n, [nameOf(wallet)]],
      ],
    )
    assert.equal(entries[0]?.journalId, journal.id)
    assert.equal(entries[0]?.memo, 'half')
  })

  it('takes money in and out of one account in one journal, the credit first', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 1n)
    await postOne(newId(), usd(wallet, escrow, 70n), usd(accounts.processor, wallet, 70n))
    const { entries } = await entriesOf(test.db, [wallet], { limit: 2, offset: 0 })
    assert.deepEqual(
      entries.map(entry => [entry.amount, entry.balanceAfter]),
      [
        [-70n, 1n],
        [70n, 71n],
      ],
    )
    assert.equal(await balanceOf(test.db, escrow, 'USD'), 70n)
  })

  it('groups several legs of one account, which one statement could only move once', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    await postOne(
      newId(),
      usd(wallet, escrow, 10n),
      usd(wallet, escrow, 20n),
      usd(wallet, accounts.marketplaceFee, 5n),
    )
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 65n)
    assert.equal(await balanceOf(test.db, escrow, 'USD'), 30n)
  })

  it('keeps assets apart', async () => {
    const { wallet } = await walletAndEscrow(test, 5n)
    await test.db.transaction(tx => openAccounts(tx, [{ account: wallet, asset: 'USDC' }]))
    await postOne(newId(), {
      debit: accounts.custody('eip155:8453', 'USDC'),
      credit: wallet,
      amount: 9n,
      asset: 'USDC',
    })
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 5n)
    assert.equal(await balanceOf(test.db, wallet, 'USDC'), 9n)
    assert.equal(await balanceOf(test.db, accounts.custody('eip155:8453', 'USDC'), 'USDC'), -9n)
  })

  it('refuses to overdraw a guarded account, by name, and lets unguarded ones go below zero', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    const refused = await postOne(newId(), usd(wallet, escrow, 11n)).catch((error: unknown) => error)
    assert.ok(isInsufficientBalance(refused))
    assert.equal(
      ledgerConstraints[(refused as { constraint: string }).constraint]?.message,
      'Insufficient balance',
    )
    assert.equal(isInsufficientBalance(new Error('other')), false)
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 10n)
    await postOne(newId(), usd(accounts.promotion, wallet, 1n))
    assert.ok((await balanceOf(test.db, accounts.promotion, 'USD')) < 0n)
  })

  it('refuses what is no posting, as a defect of the program', async () => {
    const { wallet, escrow } = await walletAndEscrow(test)
    const defects: [RegExp, Leg[]][] = [
      [/no legs/, []],
      [/not above zero/, [usd(wallet, escrow, 0n)]],
      [/not above zero/, [usd(wallet, escrow, -5n)]],
      [/both sides/, [usd(wallet, wallet, 5n)]],
      [/no account 9999:x in the chart/, [usd('9999:x', wallet, 5n)]],
      [/has no owner/, [usd('1010:x', wallet, 5n)]],
      [/needs an owner/, [usd('2010', wallet, 5n)]],
      [/never opened/, [usd(accounts.processor, accounts.wallet(newId()), 5n)]],
      [/never opened/, [{ ...usd(accounts.processor, wallet, 5n), asset: 'USDC' }]],
    ]
    for (const [message, legs] of defects) await assert.rejects(postOne(newId(), ...legs), message)
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 100n)
  })

  it('stores what its columns cannot hold in a form that still proves', async () => {
    const { wallet } = await walletAndEscrow(test)
    await test.db.transaction(tx =>
      post(tx, {
        kind: 'test',
        key: newId(),
        memo: 'nul \0 and half a pair \ud800',
        reference: { b: '\udfff', a: 'x' },
        legs: [usd(accounts.processor, wallet, 1n)],
      }),
    )
    const [entry] = (await entriesOf(test.db, [wallet], page)).entries
    assert.equal(entry?.memo, 'nul \uFFFD and half a pair \uFFFD')
    assert.deepEqual(entry?.reference, { a: 'x', b: '\uFFFD' })
  })
})

describe('posting key', () => {
  it('answers the first journal to the same legs in any order, and posts nothing', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    const key = newId()
    const legs = [usd(wallet, escrow, 40n), usd(wallet, accounts.marketplaceFee, 2n)]
    const first = await postOne(key, ...legs)
    const again = await postOne(key, ...legs.toReversed())
    assert.deepEqual(again, { ...first, replayed: true })
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 58n)
  })

  it('is a conflict with other legs', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 100n)
    const key = newId()
    await postOne(key, usd(wallet, escrow, 40n))
    await assert.rejects(
      postOne(key, usd(wallet, escrow, 41n)),
      (error: ApiError) =>
        error instanceof ApiError && error.row.status === 409 && error.row.code === 'POSTING_KEY_REUSED',
    )
    assert.equal(await balanceOf(test.db, wallet, 'USD'), 60n)
  })

  it('stays free after a refused posting', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    const key = newId()
    await assert.rejects(postOne(key, usd(wallet, escrow, 11n)), isInsufficientBalance)
    assert.equal((await postOne(key, usd(wallet, escrow, 10n))).replayed, false)
  })

  it('answers a replay even when the money is gone or the account is frozen', async () => {
    const { wallet, escrow } = await walletAndEscrow(test, 10n)
    const key = newId()
    await postOne(key, usd(wallet, escrow, 10n))
    await test.db.transaction(tx => freezeAccount(tx, wallet, 'USD', 'operator'))
    assert.equal((await postOne(key, usd(wallet, escrow, 10n))).replayed, true)
  })
})

it('a journal has a SHA-256 in lower case', async () => {
  const insert = (hash: string) =>
    test.db.pool.query(
      `insert into ledger_journal (id, kind, key, reference, legs, at, hash) values (gen_random_uuid(), 'test', $1, '{}', '[]', now(), $2)`,
      [newId(), hash],
    )
  for (const hash of ['', '0'.repeat(63), '0'.repeat(66), 'A'.repeat(64)])
    await assert.rejects(insert(hash), { constraint: 'ledger_journal_hash_is_sha256' }, hash)
  await assert.rejects(insert('g'.repeat(64)), /invalid hexadecimal digit/)
})

it('the books balance after all of the above', async () => {
  assert.deepEqual((await checkLedger(test.db)).findings, [])
})
