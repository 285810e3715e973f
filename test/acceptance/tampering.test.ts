import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ledgerChecks, verifyEvidence } from '#app'
import { checkLedger } from '#ledger'
import { createPool, Db } from '#platform/db'
import { deliveredDeal, fund, heldDeal, must, openMarket, startTestService, withDatabase, type TestService } from '#test'

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
  await service.http('POST', `/wallets/${market.buyer.walletId}/transfer`, { token: market.buyer.token, body: { toWalletId: market.stranger.walletId, amount: 1 } })
  await untilSealed()
  const { secrets, config, db: { context: known } } = service.services
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
    const { rows: [left] } = await pool.query<{ count: number }>('select ((select count(*) from ledger_unsealed) + (select count(*) from platform_audit_unsealed))::int as count')
    const { rows } = await pool.query<{ hash: string }>('(select hash from ledger_block order by number desc limit 1) union all (select hash from platform_audit_block order by number desc limit 1)')
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

type Finder = 'check' | 'verify' | 'anchor'
const TABLES = ['ledger_journal', 'ledger_entry', 'ledger_block', 'ledger_memo', 'ledger_balance', 'ap2_escrow', 'ap2_escrow_history', 'payments_intent', 'wallets_wallet', 'platform_audit', 'platform_audit_private']

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
      for (const statement of statements) assert.notEqual((await tx.run({ text: statement, values: [], name: '' })), 0, `it changes nothing: ${statement}`)
    })
    const check = await checkLedger(db, ledgerChecks, { full: true })
    const verified = await verifyEvidence({ db, ...sources, config: { LEDGER_ANCHOR_FILE: undefined } })
    const anchored = await verifyEvidence({ db, ...sources })
    return [...check.ok ? [] : ['check' as const], ...verified.ok ? [] : ['verify' as const], ...verified.ok && !anchored.ok ? ['anchor' as const] : []]
  } finally {
    await pool.end()
    await admin.query(`drop database if exists ${name} with (force)`)
  }
}

const FUND = "(select id from ledger_journal where kind = 'fund' order by recorded_at limit 1)"
const HELD = "(select id from ap2_escrow where status = 'HELD' limit 1)"
const DONE = "(select id from ap2_escrow where status = 'RELEASED' limit 1)"
const LAST = '(select unnest(items) from ledger_block where number = (select max(number) from ledger_block))'
const entry = (account: string, amount: number) => `insert into ledger_entry (account, asset, amount, journal_id) select '${account}', 'USD', ${amount}, ${FUND}`
const wallet = `(select account from ledger_entry where journal_id = ${FUND} and account like '2010:%')`
const doubled = [
  `update ledger_entry set amount = amount * 2, balance_after = balance_after + case when account = ${wallet} then amount else 0 end where journal_id = ${FUND} and (account = '1010' and amount < 0 or account = ${wallet})`,
]
const forged = (kind: string) => `
  with made as (insert into ledger_journal (id, kind, key, reference, legs, at, hash) select gen_random_uuid(), '${kind}', 'payment/' || gen_random_uuid(), '{}',
      jsonb_build_array(jsonb_build_array('1010', ${wallet}, 'USD', '1000000000000')), now(), repeat('a', 64) returning id),
    moved as (update ledger_balance set balance = balance + 1000000000000 where account = ${wallet} returning balance),
    entries as (insert into ledger_entry (journal_id, account, asset, amount, balance_after)
      select id, ${wallet}, 'USD', 1000000000000, balance from made, moved union all select id, '1010', 'USD', -1000000000000, null from made)
  insert into ledger_unsealed (item_id) select id from made`

const TAMPERINGS: [what: string, statements: string[], finders: Finder[]][] = [
  ['nothing', [], []],
  ["one entry's amount", [`update ledger_entry set amount = amount + 1 where journal_id = ${FUND} and account = '1010' and amount < 0`], ['check', 'verify']],
  ['a balance', [`update ledger_balance set balance = balance + 1 where balance > 0`], ['check']],
  ['a rollup', ["update ledger_rollup set balance = balance + 1 where account = '1010'"], ['check']],
  ['a balance after an entry', [`update ledger_entry set balance_after = balance_after + 1 where journal_id = ${FUND} and account = ${wallet}`], ['check']],
  ['an extra entry', [entry('4010', 5)], ['check', 'verify']],
  ['two extra entries that sum to zero', [entry('4010', 5), entry('5060', -5)], ['check', 'verify']],
  ['the same two with the rollup adjusted', [entry('4010', 5), entry('1010', -5), "update ledger_rollup set balance = balance + 5 where account = '4010'", "update ledger_rollup set balance = balance - 5 where account = '1010'"], ['verify']],
  ['both entries of a journal', doubled, ['check', 'verify']],
  ['the time of a journal', [`update ledger_journal set at = at - interval '1 day' where id = ${FUND}`], ['verify']],
  ['the reference of a journal', [`update ledger_journal set reference = '{}' where id = ${FUND}`], ['verify']],
  ['the kind of a journal', [`update ledger_journal set kind = 'promotion' where id = ${FUND}`], ['check', 'verify']],
  ['the last block deleted', ['delete from ledger_block where number = (select max(number) from ledger_block)'], ['check', 'verify']],
  ['the journals of the last block put back to unsealed', [`insert into ledger_unsealed (item_id) select ${LAST}`, 'delete from ledger_block where number = (select max(number) from ledger_block)'], ['anchor']],
  ['a middle block deleted', ['delete from ledger_block where number = 2'], ['check', 'verify']],
  ['a journal deleted with its entries', [`delete from ledger_entry where journal_id = ${FUND}`, `delete from ledger_journal where id not in (select journal_id from ledger_entry)`], ['check', 'verify']],
  ['a forged payment that waits to be sealed', [forged('fund')], ['check']],
  ['a forged journal of another kind that takes money from the processor', [forged('grant')], ['check']],
  ['the wallet of a seller', [`update ap2_escrow set seller_wallet_id = (select id from wallets_wallet w where not exists (select from ap2_escrow e where w.id in (e.seller_wallet_id, e.buyer_wallet_id)) limit 1) where id = ${HELD}`], ['check']],
  ['the same of a released escrow', [`update ap2_escrow set seller_wallet_id = (select id from wallets_wallet w where not exists (select from ap2_escrow e where w.id in (e.seller_wallet_id, e.buyer_wallet_id)) limit 1) where id = ${DONE}`], ['check']],
  ['the fee rate of an escrow', [`update ap2_escrow set fee_bps = 0 where id = ${HELD}`], ['check']],
  ['the fees of an escrow', [`update ap2_escrow set fees = fees - 1 where id = ${DONE}`], ['check']],
  ['the amount of a payment', ["update payments_intent set amount = amount * 2 where status = 'SUCCEEDED'"], ['check']],
  ['a payment moved to another wallet', [`update payments_intent set reference = gen_random_uuid()::text where journal_id = ${FUND}`], ['check']],
  ['the currency of a wallet', [`update wallets_wallet set currency = 'USDC' where '2010:' || id = ${wallet}`], ['check']],
  ['a freeze on a wallet', [`update ledger_balance set freezes = '{x}' where account = ${wallet}`], ['check']],
  ['a payment without a journal', [`update payments_intent set journal_id = gen_random_uuid() where journal_id = ${FUND}`], ['check']],
  ['the record of the keyed chain', ["delete from platform_secret where name = 'chain/ledger'"], ['verify']],
  ['an audit event deleted', [`with gone as (delete from platform_audit_private where audit_id = (select min(audit_id::text)::uuid from platform_audit_private) returning audit_id)
    delete from platform_audit where id in (select audit_id from gone)`], ['verify']],
]

for (const [what, statements, finders] of TAMPERINGS) {
  test(`${what}: found by ${finders.join(' and ') || 'nothing'}`, async () => { assert.deepEqual(await findersOf(statements), finders) })
}

test('the last block cut off with its journals, entries and balances: found by the anchor file alone', async () => {
  const sums = (guarded: boolean) => `(select account, asset, sum(amount) as total from ledger_entry where journal_id in (select id from tail)
    and (balance_after is not null) = ${guarded} group by 1, 2) e where e.account = kept.account and e.asset = kept.asset`
  assert.deepEqual(await findersOf([
    'create temporary table tail on commit drop as select unnest(items) as id from ledger_block where number = (select max(number) from ledger_block)',
    `update ledger_balance kept set balance = kept.balance - e.total from ${sums(true)}`,
    'delete from ledger_entry where journal_id in (select id from tail)',
    'delete from ledger_journal where id in (select id from tail)',
    'delete from ledger_block where number = (select max(number) from ledger_block)',
  ]), ['anchor'])
})

test('evidence cannot be changed while its triggers are on', async () => {
  for (const table of ['ledger_journal', 'ledger_entry', 'ledger_block']) {
    await assert.rejects(findersOf([`delete from ${table}`], { triggers: true }), { constraint: `${table}_append_only` })
  }
})
