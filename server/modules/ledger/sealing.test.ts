import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, balanceOf, checkLedger, openAccounts, post, sealLedger, verifyLedgerChain } from '#ledger'
import { DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
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

describe('sealing', () => {
  it('puts each journal into one block, and an untouched chain verifies', async () => {
    await fundTimes(3)
    await sealAll(3)
    await fundTimes(2)
    await sealAll(2)
    assert.equal(await sealLedger(test.db, test.secrets), 0)
    const report = await verifyLedgerChain(test.db, test.secrets)
    assert.deepEqual(report.findings, [])
    assert.equal(report.items, 5)
    assert.ok(report.blocks >= 2)
    assert.match(report.head, /^[0-9a-f]{64}$/)
  })

  it('never passes over a late commit: it waits for transactions that began before', async () => {
    await fundTimes(0)
    await test.db.transaction(async late => {
      await post(late, {
        kind: 'inbound',
        key: newId(),
        legs: [{ debit: accounts.processor, credit: accounts.suspense, amount: 1n, asset: 'USD' }],
      })
      await fundTimes(2)
      // Journals of later transactions are committed and visible, and yet not sealed before the one still open.
      assert.equal(await sealLedger(test.db, test.secrets), 0)
    })
    await sealAll(3)
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).findings, [])
  })

  it('goes on in a database that was restored where transaction ids are lower', async () => {
    await fundTimes(2)
    await test.db.run(sql`update ledger_unsealed set xid = '900000000000'`)
    await sealAll(2)
    await fundTimes(1)
    await sealAll(1)
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).findings, [])
  })

  it('is done once when several instances try', async () => {
    await fundTimes(20)
    const parallel = await Promise.all(Array.from({ length: 8 }, () => sealLedger(test.db, test.secrets)))
    await sealAll(20 - parallel.reduce((sum, sealed) => sum + sealed, 0))
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).findings, [])
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
    assert.deepEqual((await checkLedger(test.db)).findings, [])
  })

  it('does not mind a business clock that stands far ahead', async () => {
    await fundTimes(1)
    test.clock.setOffset(400 * DAY)
    await fundTimes(1)
    await sealAll(2)
    assert.deepEqual((await verifyLedgerChain(test.db, test.secrets)).findings, [])
  })
})
