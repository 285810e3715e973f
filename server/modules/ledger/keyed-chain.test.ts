import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, post, sealLedger, verifyLedgerChain } from '#ledger'
import { Anchors, verifyAnchors } from '#platform/kernel/chain/anchor'
import type { Head } from '#platform/kernel/chain/chain'
import { newId } from '#platform/kernel/id'
import { createLog } from '#platform/adapters/log/log'
import { secretsOf } from '#platform/kernel/secrets'
import { identifier, part, sql, type SqlPart } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../test/support/database/db.ts'

let t: TestDb
let folder: string
let heads: Head[]
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-anchors-'))
})
beforeEach(async () => {
  await t?.close()
  t = await openTestDb()
  heads = []
})
after(async () => {
  await t.close()
  await rm(folder, { recursive: true })
})

const postOne = () =>
  t.db.transaction(tx =>
    post(tx, {
      kind: 'inbound',
      key: newId(),
      legs: [{ debit: accounts.processor, credit: accounts.suspense, amount: 1n, asset: 'USD' }],
    }),
  )
/** Posts one journal and seals it into a block; transactions of other databases of this server hold sealing up. */
async function addBlock(): Promise<void> {
  await postOne()
  for (
    const deadline = Date.now() + 60_000;
    !(await sealLedger(t.db, t.secrets, head => heads.push(head)));
    await sleep(5)
  )
    assert.ok(Date.now() < deadline)
}
async function tamper(...changes: SqlPart[]): Promise<void> {
  const tables = ['ledger_block', 'ledger_journal', 'ledger_entry']
  await t.db.transaction(async tx => {
    for (const table of tables) await tx.run(sql`alter table ${identifier(table)} disable trigger user`)
    for (const change of changes) await tx.run(sql`${change}`)
    for (const table of tables) await tx.run(sql`alter table ${identifier(table)} enable trigger user`)
  })
}
const findings = async (): Promise<string> => (await verifyLedgerChain(t.db, t.secrets)).findings.join('\n')

interface Block {
  number: bigint
  items: string[]
  sealedBelow: string
  sealedAt: Date
}
/** Makes every block from `from` on anew, with hashes that need no key: all that write access to the database allows. */
async function rewrite(from: bigint, version: 1 | 2): Promise<void> {
  const blocks = await t.db.rows(
    sql<Block>`select number, items, sealed_below, sealed_at from ledger_block where number >= ${from} order by number`,
  )
  const before = await t.db.maybe(
    sql<{ hash: string }>`select hash from ledger_block where number = ${from - 1n}`,
  )
  let previous = before?.hash ?? '0'.repeat(64)
  for (const { number, items, sealedBelow: below, sealedAt: at } of blocks) {
    const hashes = new Map(
      (
        await t.db.rows(
          sql<{
            id: string
            hash: string
          }>`select id, hash from ledger_journal where id = any(${items}::uuid[])`,
        )
      ).map(row => [row.id, row.hash]),
    )
    const content = [
      version,
      number.toString(),
      previous,
      below,
      at.toISOString(),
      items.map(id => [id, hashes.get(id)]),
    ]
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
    await tamper(
      part`update ledger_block set previous_hash = ${previous}, hash = ${hash}, version = ${version} where number = ${number}`,
    )
    previous = hash
  }
}

test('a chain that was rewritten as a whole does not verify without the key', async () => {
  for (let n = 0; n < 3; n++) await addBlock()
  assert.equal(await findings(), '')
  await rewrite(1n, 2)
  assert.match(await findings(), /block 1 does not match its hash/)
  await rewrite(1n, 1)
  assert.match(await findings(), /block 1 is not keyed/)
  await tamper(part`delete from platform_secret`)
  assert.equal(await findings(), '', 'only an anchor, or the log, shows this')
  await addBlock()
  assert.notEqual(heads.at(-1)?.hash, heads[2]?.hash)
})

test('the record of the first keyed block may not be missing', async () => {
  await addBlock()
  await tamper(part`delete from platform_secret`)
  assert.match(await findings(), /the record of its first keyed block is missing/)
})

test('unkeyed blocks from before stay verifiable, and keyed ones follow them', async () => {
  await addBlock()
  await addBlock()
  await rewrite(1n, 1)
  await tamper(part`delete from platform_secret`)
  assert.equal(await findings(), '')
  await addBlock()
  assert.equal(await findings(), '')
  const { rows } = await t.db.pool.query<{ version: number }>(
    'select version from ledger_block order by number',
  )
  assert.deepEqual(
    rows.map(row => row.version),
    [1, 1, 2],
  )
  await tamper(
    part`update ledger_journal set memo = 'x' where id = (select items[1] from ledger_block where number = 1)`,
  )
  assert.match(await findings(), /was changed/)
})

test('a keyed chain never goes back to unkeyed blocks', async () => {
  for (let n = 0; n < 3; n++) await addBlock()
  await rewrite(3n, 1)
  assert.match(await findings(), /block 3 is not keyed/)
  await assert.rejects(
    t.db.run(sql`insert into ledger_block (number, items, previous_hash, hash, sealed_below, sealed_at)
    values (9, array[${newId()}::uuid], 'x', 'x', '1', now())`),
    /version/,
    'an instance of the version before cannot add one',
  )
})

test('reports another master key once, not as a finding for each block', async () => {
  await addBlock()
  await assert.rejects(verifyLedgerChain(t.db, secretsOf('cd'.repeat(32))), /master key does not match/)
})

test('a tail that was cut off is found by the anchor file alone', async () => {
  const path = join(folder, newId())
  const anchors = new Anchors({ LEDGER_ANCHOR_FILE: path, LEDGER_ANCHOR_URL: undefined }, createLog('silent'))
  for (let n = 0; n < 3; n++) {
    await addBlock()
    anchors.add(heads.at(-1) ?? assert.fail())
    await anchors.flush()
  }
  assert.match((await verifyAnchors(t.db, `${path}.none`)).findings.join(), /anchor file .*none is missing/)
  assert.match((await verifyAnchors(t.db, join(path, 'below'))).findings.join(), /cannot be read: ENOTDIR/)
  assert.deepEqual(await verifyAnchors(t.db, path), { heads: 3, findings: [] })
  const last = part`(select items[1] from ledger_block where number = 3)`
  await tamper(
    part`delete from ledger_entry where journal_id = ${last}`,
    part`delete from ledger_journal where id = ${last}`,
    part`delete from ledger_block where number = 3`,
  )
  assert.equal(await findings(), '')
  assert.deepEqual((await verifyAnchors(t.db, path)).findings, [
    'ledger block 3 of anchor line 3 is missing: the end of the chain was cut off',
  ])
  await rewrite(2n, 2)
  assert.match(
    (await verifyAnchors(t.db, path)).findings.join(),
    /block 2 has another hash than anchor line 2/,
  )
  await writeFile(path, 'nonsense\n', { flag: 'a' })
  assert.match((await verifyAnchors(t.db, path)).findings.join(), /anchor line 4 cannot be read/)
})

test('the anchor address gets the newest head once it can be reached', async () => {
  const got: string[] = []
  let status = 500
  const server = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      .on('end', () => {
        if (status === 200) got.push(body)
        response.writeHead(status).end()
      })
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const path = join(folder, newId())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/anchor`
  const anchors = new Anchors({ LEDGER_ANCHOR_FILE: path, LEDGER_ANCHOR_URL: url }, createLog('silent'))
  anchors.add({ chain: 'ledger', block: 1, hash: 'a' })
  await anchors.flush()
  anchors.add({ chain: 'ledger', block: 2, hash: 'b' })
  await anchors.flush()
  assert.deepEqual(got, [])
  status = 200
  await anchors.flush()
  await anchors.flush()
  assert.deepEqual(
    got.map(body => {
      const { chain, block, hash } = JSON.parse(body) as Head
      return [chain, block, hash]
    }),
    [['ledger', 2, 'b']],
  )
  assert.equal(
    (await readFile(path, 'utf8')).trim().split('\n').length,
    2,
    'the file did not wait for the address',
  )
  await new Promise(resolve => {
    server.close(resolve)
  })
})
