import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  accounts, balanceOf, checkLedger, forgetMemosBy, forgetMemosNaming, journalsOf, openAccounts, post, sealLedger, verifyLedgerChain,
} from '#ledger'
import { DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { newId } from '#platform/id'
import { Names } from '#platform/names'
import { identifier, part, sql, type SqlPart } from '#platform/sql'
import { openTestDb, type TestDb } from '../../../test/support/db.ts'

let test: TestDb
beforeEach(async () => {
  await test?.close()
  test = await openTestDb()
})
after(() => test.close())

const wallet = accounts.wallet(newId())

const fund = (tx: Tx, amount = 5n) => post(tx, {
  kind: 'fund', key: newId(), memo: 'm', reference: { intent: 'i' }, legs: [{ debit: accounts.processor, credit: wallet, amount, asset: 'USD' }],
})

async function fundTimes(times: number): Promise<void> {
  await test.db.transaction(tx => openAccounts(tx, [{ account: wallet, asset: 'USD' }]))
  for (let n = 0; n < times; n++) await test.db.transaction(tx => fund(tx))
}

/** Seals until `wanted` journals are in blocks: transactions of other databases of this server hold sealing up. */
async function sealAll(wanted: number): Promise<void> {
  const deadline = Date.now() + 20_000
  let sealed = 0
  for (; sealed < wanted && Date.now() < deadline; await sleep(5)) sealed += await sealLedger(test.db, test.secrets)
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

describe('sealing', () => {
  it('puts each journal into one block, and an untouched chain verifies', async () => {
    await fundTimes(3)
    await sealAll(3)
    await fundTimes(2)
    await sealAll(2)
    assert.equal(await sealLedger(test.db, test.secrets), 0)
    const report = await verifyLedgerChain(test.db, test.secrets)
    assert.deepEqual(report.faults, [])
    assert.equal(report.items, 5)
    assert.ok(report.blocks >= 2)
    assert.match(report.head, /^[0-9a-f]{64}$/)
  })

  it('never passes over a late commit: it waits for transactions that began before', async () => {
    await fundTimes(0)
    await test.db.transaction(async late => {
      await post(late, { kind: 'inbound', key: newId(), legs: [{ debit: accounts.processor, credit: accounts.suspense, amount: 1n, asset: 'USD' }] })
      await fundTimes(2)
      // Journals of later transactions are committed and visible, and yet not sealed before the one still open.
      assert.equal(await sealLedger(test.db, test.secrets), 0)
    })
    await sealAll(3)
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).faults, [])
  })

  it('goes on in a database that was restored where transaction ids are lower', async () => {
    await fundTimes(2)
    await test.db.run(sql`update ledger_unsealed set xid = '900000000000'`)
    await sealAll(2)
    await fundTimes(1)
    await sealAll(1)
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).faults, [])
  })

  it('is done once when several instances try', async () => {
    await fundTimes(20)
    const parallel = await Promise.all(Array.from({ length: 8 }, () => sealLedger(test.db, test.secrets)))
    await sealAll(20 - parallel.reduce((sum, sealed) => sum + sealed, 0))
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).faults, [])
  })

  it('leaves balances of unguarded accounts as they are: what leaves the tail is in the rollup', async () => {
    const balance = () => balanceOf(test.db, accounts.processor, 'USD')
    await fundTimes(3)
    assert.equal(await balance(), -15n)
    await sealAll(3)
    assert.equal(await balance(), -15n)
    await fundTimes(2)
    assert.equal(await balance(), -25n)
    await sealAll(2)
    assert.equal(await balance(), -25n)
    assert.deepEqual((await checkLedger(test.db)).faults, [])
  })

  it('does not mind a business clock that stands far ahead', async () => {
    await fundTimes(1)
    test.clock.setOffset(400 * DAY)
    await fundTimes(1)
    await sealAll(2)
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).faults, [])
  })
})

describe('evidence', () => {
  it('is never updated, deleted or truncated', async () => {
    await fundTimes(1)
    await sealAll(1)
    for (const table of ['ledger_journal', 'ledger_entry', 'ledger_block']) {
      const refused = { constraint: `${table}_append_only` }
      await assert.rejects(test.db.run(sql`delete from ${identifier(table)}`), refused)
      await assert.rejects(test.db.run(sql`truncate ${identifier(table)} cascade`), refused)
    }
    await assert.rejects(test.db.run(sql`update ledger_journal set memo = 'x'`), { constraint: 'ledger_journal_append_only' })
    await assert.rejects(test.db.run(sql`update ledger_entry set amount = 1`), { constraint: 'ledger_entry_append_only' })
    await assert.rejects(test.db.run(sql`update ledger_block set hash = 'x'`), { constraint: 'ledger_block_append_only' })
    await assert.rejects(test.db.run(sql`delete from ledger_balance`), { constraint: 'ledger_balance_append_only' })
  })

  it('loses a memo with its author, and still verifies', async () => {
    await fundTimes(1)
    const written = (author: string, memo: string) => test.db.transaction(tx => post(tx, {
      kind: 'fund', key: newId(), memo, author, legs: [{ debit: accounts.processor, credit: wallet, amount: 5n, asset: 'USD' }],
    }))
    await written('a1', 'mine')
    await written('a2', 'for Ada Nameword, with thanks')
    await written('a2', 'for nobody')
    await sealAll(4)
    await test.db.transaction(async tx => {
      assert.equal(await forgetMemosBy(tx, 'a1'), 1)
      const gone = await forgetMemosNaming(tx, [wallet], new Names(['ada  nameword', 'ada']))
      assert.deepEqual(gone.map(each => each.authorId), ['a2'])
    })
    assert.deepEqual((await journalsOf(test.db, wallet)).map(leg => leg.memo), ['m', null, null, 'for nobody'])
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).faults, [])
    await assert.rejects(test.db.run(sql`update ledger_memo set memo = 'x'`), { constraint: 'ledger_memo_append_only' })
  })

  const tamperings: [string, string, SqlPart, RegExp][] = [
    ['a changed memo', 'ledger_journal', part`update ledger_journal set memo = 'other'`, /was changed/],
    ['a changed memo kept apart', 'ledger_memo', part`update ledger_memo set memo = 'other'`, /its memo was changed/],
    ['a memo hash taken away', 'ledger_journal', part`update ledger_journal set memo_hash = null`, /was changed/],
    ['a changed amount in the legs', 'ledger_journal', part`update ledger_journal set legs = jsonb_set(legs, '{0,3}', '"6"')`, /was changed/],
    ['a changed time', 'ledger_journal', part`update ledger_journal set at = at - interval '1 second'`, /was changed/],
    ['a changed reference', 'ledger_journal', part`update ledger_journal set reference = '{"intent": "j"}'`, /was changed/],
    ['a changed entry', 'ledger_entry', part`update ledger_entry set amount = amount * 2`, /its entries are not what its legs say/],
    ['an entry moved to another account', 'ledger_entry', part`update ledger_entry set account = '2010:thief' where account like '2010:%'`, /its entries are not/],
    ['a hash recomputed for changed content', 'ledger_journal', part`update ledger_journal set hash = repeat('a', 64)`, /does not fit its hash/],
    ['a changed block', 'ledger_block', part`update ledger_block set sealed_at = now() where number = 1`, /block 1 does not fit its hash/],
    ['a removed first block', 'ledger_block', part`delete from ledger_block where number = 1`, /block 1 is missing/],
    ['a removed last block', 'ledger_block', part`delete from ledger_block where number = 2`, /stands in no block and does not wait/],
    ['removed blocks', 'ledger_block', part`delete from ledger_block`, /stands in no block and does not wait/],
    ['a journal listed twice', 'ledger_block', part`insert into ledger_block select number + 10, items, previous_hash, hash, sealed_below, sealed_at, version from ledger_block where number = 1`, /more than one block/],
  ]
  for (const [what, table, change, expected] of tamperings) {
    it(`${what} is found by verify`, async () => {
      for (let block = 0; block < 2; block++) {
        await fundTimes(1)
        await sealAll(1)
      }
      await tamper(table, change)
      const { ok, faults } = await verifyLedgerChain(test.db, test.secrets)
      assert.equal(ok, false)
      assert.match(faults.join('\n'), expected)
    })
  }

  it('a removed journal is found by verify', async () => {
    await fundTimes(2)
    await sealAll(2)
    await tamper('ledger_memo', part`delete from ledger_memo where journal_id = (select id from ledger_journal order by id limit 1)`)
    await tamper('ledger_entry', part`delete from ledger_entry where journal_id = (select id from ledger_journal order by id limit 1)`)
    await tamper('ledger_journal', part`delete from ledger_journal where id not in (select journal_id from ledger_entry)`)
    assert.match((await verifyLedgerChain(test.db, test.secrets)).faults.join('\n'), /of block 1 is missing/)
  })

  it('a journal that stands in no block is a fault after a minute, not before', async () => {
    await fundTimes(1)
    assert.equal((await verifyLedgerChain(test.db, test.secrets)).ok, true)
    await tamper('ledger_journal', part`update ledger_journal set recorded_at = recorded_at - interval '61 seconds'`)
    assert.match((await verifyLedgerChain(test.db, test.secrets)).faults.join('\n'), /stands in no block after a minute/)
  })
})
