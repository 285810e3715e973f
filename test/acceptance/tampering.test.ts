import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { loadLedgerChecks, verifyEvidence } from '#app'
import { checkLedger } from '#ledger'
import { createPool } from '#platform/kernel/database/pool'
import { Db } from '#platform/kernel/db'
import { DatabasePool } from '#platform/kernel/database/pool'
import {
  deliveredDeal,
  fund,
  heldDeal,
  must,
  openMarket,
  startTestService,
  withDatabase,
  type TestService,
} from '#test'
import { TAMPERINGS, type Finder } from './tamperings.ts'

/**
 * What someone with write access to the database can do, each on a fresh copy of a service's database, and what finds
 * it: the ledger check, `audit verify`, or `audit verify` with the anchor file.
 */
let service: TestService
let folder: string
let template: string
let admin: pg.Client
let sources: Pick<Parameters<typeof verifyEvidence>[0], 'secrets' | 'config'>
let context: Db['context']

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tampering-'))
  const path = join(folder, 'anchors')
  service = await startTestService({ LEDGER_ANCHOR_FILE: path })
  const market = await openMarket(service, { amount: 500, card: true })
  await fund(service, market.agent.owner, 20)
  const { escrow } = await deliveredDeal(market)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: escrow.id })
  await heldDeal(market)
  await untilSealed()
  // The last block holds one transfer, which no other record mentions.
  await service.http('POST', `/wallets/${market.buyer.walletId}/transfer`, {
    token: market.buyer.token,
    body: { toWalletId: market.outsider.walletId, amount: 1 },
  })
  await untilSealed()
  const {
    secrets,
    config,
    db: { context: known },
  } = service.services
  sources = { secrets, config }
  context = known
  template = `svc_tampering_${randomBytes(6).toString('hex')}`
  admin = new pg.Client({ connectionString: withDatabase(service.superuserUrl, 'postgres') })
  await admin.connect()
  await copyOf(new URL(service.superuserUrl).pathname.slice(1), template)
})
after(async () => {
  await admin.query(`drop database if exists ${template} with (force)`)
  await admin.end()
  await service.close()
  await rm(folder, { recursive: true })
})

/** Until all is in blocks and the last heads are in the anchor file. */
async function untilSealed(): Promise<void> {
  const { pool } = service.services.db
  for (const deadline = Date.now() + 30_000; ; await sleep(100)) {
    assert.ok(Date.now() < deadline, 'sealing does not end')
    const {
      rows: [left],
    } = await pool.query<{ count: number }>(
      'select ((select count(*) from ledger_unsealed) + (select count(*) from platform_audit_unsealed))::int as count',
    )
    const { rows } = await pool.query<{ hash: string }>(
      '(select hash from ledger_block order by number desc limit 1) union all (select hash from platform_audit_block order by number desc limit 1)',
    )
    const anchors = await readFile(join(folder, 'anchors'), 'utf8').catch(() => '')
    if (!left?.count && rows.every(({ hash }) => anchors.includes(hash))) return
  }
}

/** A copy of a database that others are connected to. */
async function copyOf(from: string, to: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [from])
    try {
      await admin.query(`create database ${to} template ${from}`)
      return
    } catch (error) {
      if (tries > 50) throw error
    }
  }
}

const TABLES = [
  'ledger_journal',
  'ledger_entry',
  'ledger_block',
  'ledger_memo',
  'ledger_balance',
  'ap2_escrow',
  'ap2_escrow_history',
  'payments_intent',
  'wallets_wallet',
  'platform_audit',
  'platform_audit_private',
]

/** What finds a change that was made with all triggers and constraints off; `run` with them on. */
async function findersOf(statements: readonly string[], { triggers = false } = {}): Promise<Finder[]> {
  const name = `${template}_copy`
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.query(`create database ${name} template ${template}`)
  const pool = createPool(withDatabase(service.superuserUrl, name), 3)
  const db = new Db(pool, context)
  try {
    await db.transaction(async tx => {
      if (!triggers) for (const table of TABLES) await tx.raw(`alter table ${table} disable trigger all`)
      for (const statement of statements)
        assert.notEqual(
          await tx.run({ text: statement, values: [], name: '' }),
          0,
          `it changes nothing: ${statement}`,
        )
    })
    const check = await checkLedger(db, await loadLedgerChecks(), { full: true })
    const verified = await verifyEvidence({ db, ...sources, config: { LEDGER_ANCHOR_FILE: undefined } })
    const anchored = await verifyEvidence({ db, ...sources })
    return [
      ...(check.ok ? [] : ['check' as const]),
      ...(verified.ok ? [] : ['verify' as const]),
      ...(verified.ok && !anchored.ok ? ['anchor' as const] : []),
    ]
  } finally {
    await pool.end()
    await admin.query(`drop database if exists ${name} with (force)`)
  }
}

for (const [what, statements, finders] of TAMPERINGS) {
  test(`${what}: found by ${finders.join(' and ') || 'nothing'}`, async () => {
    assert.deepEqual(await findersOf(statements), finders)
  })
}

test('the last block cut off with its journals, entries and balances: found by the anchor file alone', async () => {
  const sums = (
    guarded: boolean,
  ) => `(select account, asset, sum(amount) as total from ledger_entry where journal_id in (select id from tail)
    and (balance_after is not null) = ${guarded} group by 1, 2) e where e.account = stored.account and e.asset = stored.asset`
  assert.deepEqual(
    await findersOf([
      'create temporary table tail on commit drop as select unnest(items) as id from ledger_block where number = (select max(number) from ledger_block)',
      `update ledger_balance stored set balance = stored.balance - e.total from ${sums(true)}`,
      'delete from ledger_entry where journal_id in (select id from tail)',
      'delete from ledger_journal where id in (select id from tail)',
      'delete from ledger_block where number = (select max(number) from ledger_block)',
    ]),
    ['anchor'],
  )
})

test('evidence cannot be changed while its triggers are on', async () => {
  for (const table of ['ledger_journal', 'ledger_entry', 'ledger_block']) {
    await assert.rejects(findersOf([`delete from ${table}`], { triggers: true }), {
      constraint: `${table}_append_only`,
    })
  }
})

test('a verification has more time than other statements', async () => {
  const pool = new DatabasePool(service.superuserUrl, 3, undefined, { statementMs: 1, planner: '' })
  const db = new Db(pool, context)
  try {
    await assert.rejects(pool.query('select pg_sleep(0.1)'), /canceling statement/)
    assert.equal((await verifyEvidence({ db, ...sources })).ok, true)
  } finally {
    await pool.end()
  }
})
