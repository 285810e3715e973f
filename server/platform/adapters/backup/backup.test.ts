import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { accounts, openAccounts, post, verifyLedgerChain } from '#ledger'
import { createTestDatabase, dumpOf, openTestDb, sealAll, type TestDatabase, type TestDb } from '#test'
import { audit, SYSTEM } from '../../kernel/audit.ts'
import { findMigrations, migrate, migrateEmpty } from '../../kernel/database/migrate.ts'
import { secretsOf } from '../../kernel/secrets.ts'
import { sql } from '../../kernel/sql.ts'
import { writeBackup } from './dump.ts'
import { prepareJobs } from './jobs.ts'
import { MODULES } from '../../../modules/registry.ts'
import { checkBackup, loadBackup, type CheckedBackup } from './load.ts'
import { withSession } from './session.ts'

const KEY = 'ab'.repeat(32)
const SECRETS = secretsOf(KEY)
const PASSPHRASE = 'a passphrase of the operator'

suite('backup and restore of a database', () => {
  let source: TestDb
  let folder: string
  let file: string
  /** The backup in `file`: to open its key takes half a second of processor time. */
  let checked: CheckedBackup
  /** A database that `file` was restored to. */
  let restored: string
  const targets: TestDatabase[] = []
  const emptyDatabase = async () => {
    const target = await createTestDatabase({ empty: true })
    targets.push(target)
    return target.url
  }
  const backUp = (into = file, masterKey = KEY) =>
    writeBackup({ url: source.url, file: into, masterKey, passphrase: PASSPHRASE, version: '1.0.0' })
  const restoreTo = async (url: string, from?: string) =>
    loadBackup(url, from ? await checkBackup(from, PASSPHRASE, MODULES) : checked)

  before(async () => {
    source = await openTestDb()
    folder = await mkdtemp(join(tmpdir(), 'svc-backup-'))
    file = join(folder, 'full.backup')
    await SECRETS.stored(source.db, 'seed', () => 'plain text of a secret')
    await bookSome(source, 3)
    await sealAll(source.db, SECRETS)
    await bookSome(source, 2)
    // Characters that COPY escapes, and a line that looks like the end of the rows.
    await source.db.transaction(tx =>
      audit(tx, SYSTEM, 'test', {
        details: { text: 'tab\t \\. \n\\.\n newline \\N é 漢' },
      }),
    )
    await source.db.run(sql`select nextval('wallets_address_index') from generate_series(1, 7)`)
    await backUp()
    checked = await checkBackup(file, PASSPHRASE, MODULES)
    restored = await emptyDatabase()
    await restoreTo(restored)
  })
  after(async () => {
    await source.close()
    for (const target of targets) await target.drop()
    await rm(folder, { recursive: true })
  })

  test('the restored tables and sequences equal those of the source', async () => {
    const [expected, found] = [await dumpOf(source.url), await dumpOf(restored)]
    // The ids of transactions belong to one server.
    for (const dump of [expected, found])
      for (const name of dump.keys()) if (/migration$|unsealed$|^jobs\./.test(name)) dump.delete(name)
    assert.deepEqual(found, expected)
    assert.deepEqual(await queryOf(restored, 'select last_value::int from wallets_address_index'), [
      { last_value: 6 },
    ])
    assert.deepEqual(await queryOf(restored, 'select count(*)::int from ledger_unsealed'), [{ count: 2 }])
  })

  test('foreign keys and append-only triggers work in the restored database', async () => {
    await assert.rejects(queryOf(restored, "update ledger_journal set memo = 'other'"), /append-only/)
    await assert.rejects(queryOf(restored, 'delete from ledger_journal'), /append-only/)
    const keys =
      "select conname, pg_get_constraintdef(oid) as text from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1"
    assert.deepEqual(await queryOf(restored, keys), await queryOf(source.url, keys))
  })

  test('sealing goes on in a server whose transaction ids are lower', async () => {
    await source.db.run(sql`update ledger_unsealed set xid = '900000000000'`)
    const ahead = join(folder, 'ahead.backup')
    await backUp(ahead)
    const url = await emptyDatabase()
    await restoreTo(url, ahead)
    const restored = await openTestDb(url)
    try {
      await sealAll(restored.db, SECRETS)
      await bookSome(restored, 2)
      await sealAll(restored.db, SECRETS)
      assert.deepEqual(await restored.db.rows(sql`select from ledger_unsealed`), [])
      assert.equal((await verifyLedgerChain(restored.db, SECRETS)).items, 7)
    } finally {
      await restored.close()
    }
  })

  test('an owner who is no superuser restores', async () => {
    assert.deepEqual(await queryOf(restored, 'select rolsuper from pg_roles where rolname = current_user'), [
      { rolsuper: false },
    ])
    assert.deepEqual(await queryOf(restored, 'select count(*)::int from ledger_journal'), [{ count: 5 }])
  })

  test('the file is for its owner alone, and holds neither master key nor stored secret', async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const text = gunzipSync(await readFile(file)).toString()
    for (const secret of [
      KEY,
      Buffer.from(KEY, 'hex').toString('base64'),
      PASSPHRASE,
      'plain text of a secret',
    ])
      assert.ok(!text.includes(secret))
    assert.match(text, /^svc-backup 1\n\{"createdAt":/)
    assert.deepEqual(
      (await readdir(folder)).filter(name => name.endsWith('.partial')),
      [],
    )
  })

  test('a backup that fails leaves the old file as it was', async () => {
    const before = await readFile(file)
    await assert.rejects(backUp(file, 'cd'.repeat(32)), /master key does not match/)
    assert.ok(before.equals(await readFile(file)))
    await assert.rejects(backUp(folder), /is a folder: name a file in it/)
    await assert.rejects(backUp(join(folder, 'no/such/folder')), /there is no folder \S+ for the backup/)
  })

  test('a file that was cut or changed anywhere is refused', async () => {
    const whole = await readFile(file)
    const content = gunzipSync(whole)
    const damaged: [string, Buffer, RegExp][] = [
      ['cut', whole.subarray(0, -1000), /incomplete/],
      ['cut by one byte', whole.subarray(0, -1), /incomplete/],
      ['empty', Buffer.alloc(0), /incomplete/],
      ['foreign', Buffer.from('some other file'), /not a backup/],
      ['foreign gzip', gzipSync('some other file\n'), /not a backup/],
      ['without its end', gzipSync(content.subarray(0, content.lastIndexOf('end '))), /incomplete/],
      ['continued', gzipSync(Buffer.concat([content, Buffer.from('more')])), /damaged/],
    ]
    for (let at = 500; at < whole.length; at += Math.floor(whole.length / 20)) {
      const flipped = Buffer.from(whole)
      flipped[at] = (flipped[at] ?? 0) ^ 0x10
      damaged.push([`byte ${at} changed`, flipped, /damaged|incomplete/])
    }
    const bad = join(folder, 'bad.backup')
    for (const [name, bytes, message] of damaged) {
      await writeFile(bad, bytes)
      await assert.rejects(checkBackup(bad, PASSPHRASE, MODULES), message, name)
    }
  })

  test('a changed file with a new checksum is refused: it is not signed', async () => {
    const forged = join(folder, 'forged.backup')
    const { createHash } = await import('node:crypto')
    const content = gunzipSync(await readFile(file))
      .toString()
      .replace('"kind":"fund"', '"kind":"fond"')
      .replace('fund', 'fond')
    const [body = '', end = ''] = content.split(/(?=^end )/m)
    const sha256 = createHash('sha256').update(body).digest('hex')
    await writeFile(forged, gzipSync(`${body}${end.replace(/"sha256":"\w+"/, `"sha256":"${sha256}"`)}`))
    await assert.rejects(checkBackup(forged, PASSPHRASE, MODULES), /signature is wrong/)
  })

  test('a wrong passphrase is refused', async () => {
    await assert.rejects(checkBackup(file, 'another passphrase', MODULES), /passphrase is wrong/)
  })

  test('a backup of a newer version is refused', async () => {
    await source.db.run(
      sql`insert into platform_migration (name, checksum) values ('platform/9999-later.sql', 'x')`,
    )
    const newer = join(folder, 'newer.backup')
    await backUp(newer)
    await source.db.run(sql`delete from platform_migration where name = 'platform/9999-later.sql'`)
    await assert.rejects(checkBackup(newer, PASSPHRASE, MODULES), /platform\/9999-later\.sql.*newer/)
  })

  test('a backup of an older version is brought to this one', async () => {
    const older = await emptyDatabase()
    const migrations = await findMigrations(MODULES)
    await withSession(older, client => migrateEmpty(client, migrations.slice(0, -1)))
    const from = join(folder, 'older.backup')
    await writeBackup({ url: older, file: from, masterKey: KEY, passphrase: PASSPHRASE, version: '0.9.0' })
    const url = await emptyDatabase()
    await restoreTo(url, from)
    assert.deepEqual(await migrate(url, MODULES), [migrations.at(-1)?.name])
  })

  test('a database that is not empty is refused and left as it is', async () => {
    const url = await emptyDatabase()
    await queryOf(url, 'create table something (id integer)')
    await assert.rejects(restoreTo(url), /not empty: it has 1 table \(something\)/)
    assert.deepEqual(await tablesOf(url), ['public.something'])
    await assert.rejects(restoreTo(source.url), /not empty/)
  })

  test('after a restore that failed or was killed the next one succeeds, and a service that starts waits for its end', async () => {
    const url = await emptyDatabase()
    // A row that breaks a foreign key, in a backup that is otherwise whole.
    await queryOf(
      source.superuserUrl,
      `alter table ledger_entry disable trigger all;
      insert into ledger_entry (account, asset, amount, journal_id) values ('x', 'USD', 1, gen_random_uuid())`,
    )
    const broken = join(folder, 'broken.backup')
    await backUp(broken)
    await queryOf(
      source.superuserUrl,
      `delete from ledger_entry where account = 'x'; alter table ledger_entry enable trigger all`,
    )
    await assert.rejects(restoreTo(url, broken), /ledger_entry_journal/)
    assert.deepEqual(await tablesOf(url), [])
    // A killed one leaves what is committed before the one transaction: the empty tables of the job queue.
    await (await prepareJobs(url, [])).close()
    assert.ok((await tablesOf(url)).length > 0)
    let ended = false
    const restoring = restoreTo(url).finally(() => {
      ended = true
    })
    while (!ended && !(await queryOf(url, ADVISORY_LOCKS)).length) await sleep(5)
    assert.ok(!ended)
    const [, applied] = await Promise.all([restoring, migrate(url, MODULES)])
    assert.deepEqual(applied, [])
    assert.deepEqual(await queryOf(url, 'select count(*)::int from ledger_journal'), [{ count: 5 }])
  })
})

const ADVISORY_LOCKS =
  "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"

let booked = 0
async function bookSome({ db }: TestDb, count: number): Promise<void> {
  for (let each = 0; each < count; each++) {
    await db.transaction(async tx => {
      await openAccounts(tx, [{ account: accounts.wallet('w'), asset: 'USD' }])
      await post(tx, {
        kind: 'fund',
        key: `k${booked++}`,
        legs: [{ debit: accounts.processor, credit: accounts.wallet('w'), amount: 5_000_000n, asset: 'USD' }],
      })
    })
  }
}

async function queryOf(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as unknown[]
  } finally {
    await client.end()
  }
}

const tablesOf = async (url: string): Promise<unknown[]> =>
  (
    await queryOf(
      url,
      "select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    )
  ).map(row => (row as { name: string }).name)
