import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  accounts,
  ledgerOwners,
  journalsOf,
  openAccounts,
  post,
  sealLedger,
  verifyLedgerChain,
} from '#ledger'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { identifier, part, sql, type SqlPart } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'

let test: TestDb
beforeEach(async () => {
  await test?.close()
  test = await openTestDb()
})
after(() => test.close())

const wallet = accounts.wallet(newId())

const fund = (tx: Tx, amount = 5n) =>
  post(tx, {
    kind: 'fund',
    key: newId(),
    memo: 'm',
    reference: { intent: 'i' },
    legs: [{ debit: accounts.processor, credit: wallet, amount, asset: 'USD' }],
  })

async function fundTimes(times: number): Promise<void> {
  await test.db.transaction(tx => openAccounts(tx, [{ account: wallet, asset: 'USD' }]))
  for (let n = 0; n < times; n++) await test.db.transaction(tx => fund(tx))
}

/** Seals until `wanted` journals are in blocks: transactions of other databases of this server hold sealing up. */
async function sealAll(wanted: number): Promise<void> {
  const deadline = Date.now() + 60_000
  let sealed = 0
  for (; sealed < wanted && Date.now() < deadline; await sleep(5))
    sealed += await sealLedger(test.db, test.secrets)
  assert.equal(sealed, wanted)
}

/** What an intruder with all rights on the database could do. */
async function tamper(table: string, change: SqlPart): Promise<void> {
  await test.db.transaction(async tx => {
    await tx.run(sql`alter table ${identifier(table)} disable trigger user`)
    await tx.run(sql`${change}`)
    await tx.run(sql`alter table ${identifier(table)} enable trigger user`)
  })
}

describe('evidence', () => {
  it('is never updated, deleted or truncated', async () => {
    await fundTimes(1)
    await sealAll(1)
    for (const table of ['ledger_journal', 'ledger_entry', 'ledger_block']) {
      const refused = { constraint: `${table}_append_only` }
      await assert.rejects(test.db.run(sql`delete from ${identifier(table)}`), refused)
      await assert.rejects(test.db.run(sql`truncate ${identifier(table)} cascade`), refused)
    }
    await assert.rejects(test.db.run(sql`update ledger_journal set memo = 'x'`), {
      constraint: 'ledger_journal_append_only',
    })
    await assert.rejects(test.db.run(sql`update ledger_entry set amount = 1`), {
      constraint: 'ledger_entry_append_only',
    })
    await assert.rejects(test.db.run(sql`update ledger_block set hash = 'x'`), {
      constraint: 'ledger_block_append_only',
    })
    await assert.rejects(test.db.run(sql`delete from ledger_balance`), {
      constraint: 'ledger_balance_append_only',
    })
  })

  it('loses a memo with its author, and still verifies', async () => {
    await fundTimes(1)
    const written = (author: string, memo: string) =>
      test.db.transaction(tx =>
        post(tx, {
          kind: 'fund',
          key: newId(),
          memo,
          author,
          legs: [{ debit: accounts.processor, credit: wallet, amount: 5n, asset: 'USD' }],
        }),
      )
    await written('a1', 'mine')
    await written('a2', 'theirs')
    await sealAll(3)
    assert.equal(await test.db.transaction(tx => ledgerOwners.eraseMemosBy(tx, 'a1')), 1)
    assert.deepEqual(
      (await journalsOf(test.db, wallet)).map(leg => leg.memo),
      ['m', null, 'theirs'],
    )
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).findings, [])
    await assert.rejects(test.db.run(sql`update ledger_memo set memo = 'x'`), {
      constraint: 'ledger_memo_append_only',
    })
  })

  const tamperings: [string, string, SqlPart, RegExp][] = [
    ['a changed memo', 'ledger_journal', part`update ledger_journal set memo = 'other'`, /was changed/],
    [
      'a changed separate memo',
      'ledger_memo',
      part`update ledger_memo set memo = 'other'`,
      /its memo was changed/,
    ],
    [
      'a memo hash taken away',
      'ledger_journal',
      part`update ledger_journal set memo_hash = null`,
      /was changed/,
    ],
    [
      'a changed amount in the legs',
      'ledger_journal',
      part`update ledger_journal set legs = jsonb_set(legs, '{0,3}', '"6"')`,
      /was changed/,
    ],
    [
      'a changed time',
      'ledger_journal',
      part`update ledger_journal set at = at - interval '1 second'`,
      /was changed/,
    ],
    [
      'a changed reference',
      'ledger_journal',
      part`update ledger_journal set reference = '{"intent": "j"}'`,
      /was changed/,
    ],
    [
      'a changed entry',
      'ledger_entry',
      part`update ledger_entry set amount = amount * 2`,
      /its entries are not what its legs say/,
    ],
    [
      'an entry moved to another account',
      'ledger_entry',
      part`update ledger_entry set account = '2010:thief' where account like '2010:%'`,
      /its entries are not/,
    ],
    [
      'a hash recomputed for changed content',
      'ledger_journal',
      part`update ledger_journal set hash = repeat('a', 64)`,
      /does not match its hash/,
    ],
    [
      'a changed block',
      'ledger_block',
      part`update ledger_block set sealed_at = now() where number = 1`,
      /block 1 does not match its hash/,
    ],
    [
      'a removed first block',
      'ledger_block',
      part`delete from ledger_block where number = 1`,
      /block 1 is missing/,
    ],
    [
      'a removed last block',
      'ledger_block',
      part`delete from ledger_block where number = 2`,
      /is in no block and does not wait/,
    ],
    ['removed blocks', 'ledger_block', part`delete from ledger_block`, /is in no block and does not wait/],
    [
      'a journal listed twice',
      'ledger_block',
      part`insert into ledger_block select number + 10, items, previous_hash, hash, sealed_below, sealed_at, version from ledger_block where number = 1`,
      /more than one block/,
    ],
  ]
  for (const [what, table, change, expected] of tamperings) {
    it(`${what} is found by verify`, async () => {
      for (let block = 0; block < 2; block++) {
        await fundTimes(1)
        await sealAll(1)
      }
      await tamper(table, change)
      const { ok, findings } = await verifyLedgerChain(test.db, test.secrets)
      assert.equal(ok, false)
      assert.match(findings.join('\n'), expected)
    })
  }

  it('a removed journal is found by verify', async () => {
    await fundTimes(2)
    await sealAll(2)
    await tamper(
      'ledger_memo',
      part`delete from ledger_memo where journal_id = (select id from ledger_journal order by id limit 1)`,
    )
    await tamper(
      'ledger_entry',
      part`delete from ledger_entry where journal_id = (select id from ledger_journal order by id limit 1)`,
    )
    await tamper(
      'ledger_journal',
      part`delete from ledger_journal where id not in (select journal_id from ledger_entry)`,
    )
    assert.match(
      (await verifyLedgerChain(test.db, test.secrets)).findings.join('\n'),
      /of block 1 is missing/,
    )
  })

  it('reports a journal in no block after a minute, not before', async () => {
    await fundTimes(1)
    assert.equal((await verifyLedgerChain(test.db, test.secrets)).ok, true)
    await tamper(
      'ledger_journal',
      part`update ledger_journal set recorded_at = recorded_at - interval '61 seconds'`,
    )
    assert.match(
      (await verifyLedgerChain(test.db, test.secrets)).findings.join('\n'),
      /is in no block after a minute/,
    )
  })
})
