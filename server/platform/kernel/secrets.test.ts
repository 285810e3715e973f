import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { sql } from './sql.ts'
import { openSecrets, readMasterKey } from './secrets.ts'

suite('secrets', () => {
  let t: TestDb
  let folder: string
  before(async () => {
    t = await openTestDb()
    folder = await mkdtemp(join(tmpdir(), 'svc-secrets-'))
  })
  after(async () => {
    await t.close()
    await rm(folder, { recursive: true })
  })

  test('the master key is made once, for its owner alone, also by parallel starts', async () => {
    for (let start = 0; start < 20; start++) {
      const fresh = join(folder, String(start))
      // A little apart, so that one is in the middle when another is done.
      const starts = Array.from({ length: 8 }, async (_, turns) => {
        for (let turn = 0; turn < turns * 2; turn++) await new Promise(setImmediate)
        return openSecrets(fresh, t.db)
      })
      const opened = await Promise.all(starts)
      await t.db.run(sql`delete from platform_secret`)
      const sealed = opened[0]?.seal('text', 'context') ?? ''
      for (const secrets of opened) assert.equal(secrets.open(sealed, 'context'), 'text')
      assert.equal((await stat(join(fresh, 'master.key'))).mode & 0o777, 0o600)
    }
  })

  test('a start without a key over a database with secrets is refused and makes none', async () => {
    const lost = join(folder, 'lost')
    await (await openSecrets(join(folder, 'stored'), t.db)).stored(t.db, 'seed', () => 'plain')
    await assert.rejects(openSecrets(lost, t.db), /master key is missing/)
    await assert.rejects(stat(join(lost, 'master.key')))
    await t.db.run(sql`delete from platform_secret`)
  })

  test('of starts at once from different folders over one new database, one makes the key', async () => {
    const folders = Array.from({ length: 6 }, (_, each) => join(folder, `apart-${each}`))
    const opened = await Promise.allSettled(folders.map(each => openSecrets(each, t.db)))
    assert.equal(opened.filter(({ status }) => status === 'fulfilled').length, 1)
    const keys = await Promise.all(folders.map(each => readMasterKey(each)))
    assert.equal(keys.filter(Boolean).length, 1)
    await t.db.run(sql`delete from platform_secret`)
  })

  test('a damaged key file is refused and left as it is', async () => {
    const damaged = join(folder, 'damaged')
    await mkdir(damaged)
    await writeFile(join(damaged, 'master.key'), '')
    await assert.rejects(openSecrets(damaged, t.db), /damaged/)
    assert.equal(await readFile(join(damaged, 'master.key'), 'utf8'), '')
  })

  test('a sealed text opens in its context only, and not when it was changed', async () => {
    const secrets = await openSecrets(folder, t.db)
    const sealed = secrets.seal('text', 'one')
    assert.throws(() => secrets.open(sealed, 'another'))
    const bytes = Buffer.from(sealed, 'base64url')
    bytes[20] = (bytes[20] ?? 0) ^ 1
    assert.throws(() => secrets.open(bytes.toString('base64url'), 'one'))
  })

  test('one text sealed twice looks different each time, and each purpose has a key of its own', async () => {
    const secrets = await openSecrets(folder, t.db)
    assert.notEqual(secrets.seal('text', 'one').slice(0, 16), secrets.seal('text', 'one').slice(0, 16))
    assert.equal(secrets.derive('one').length, 32)
    assert.deepEqual(secrets.derive('one'), secrets.derive('one'))
    assert.notDeepEqual(secrets.derive('one'), secrets.derive('two'))
  })

  test('the key of the environment counts before that of the folder', async () => {
    const [own, given] = [await openSecrets(folder, t.db), await openSecrets(folder, t.db, 'ab'.repeat(32))]
    assert.throws(() => own.open(given.seal('text', 'one'), 'one'))
    assert.equal(
      (await openSecrets('/nowhere/at/all', t.db, 'ab'.repeat(32))).open(given.seal('text', 'one'), 'one'),
      'text',
    )
  })

  test('a stored secret that was moved to another name does not open', async () => {
    const secrets = await openSecrets(folder, t.db)
    await secrets.stored(t.db, 'first', () => 'one')
    await secrets.stored(t.db, 'second', () => 'two')
    await t.db.run(sql`update platform_secret s set sealed = f.sealed from platform_secret f
      where f.name = 'first' and s.name = 'second'`)
    await assert.rejects(secrets.stored(t.db, 'second', () => 'x'))
    assert.equal(await secrets.stored(t.db, 'first', () => 'another'), 'one')
  })

  test('a stored secret is the same for all, sealed in the database, and needs the right master key', async () => {
    const secrets = await openSecrets(folder, t.db)
    let made = 0
    const values = await Promise.all(
      Array.from({ length: 8 }, () => secrets.stored(t.db, 'seed', () => `plain-${made++}`)),
    )
    assert.equal(new Set(values).size, 1)
    const rows = await t.db.rows(sql<{ sealed: string }>`select sealed from platform_secret`)
    assert.ok(rows.every(row => !row.sealed.includes('plain')))
    const foreign = await openSecrets(folder, t.db, '00'.repeat(32))
    await assert.rejects(
      foreign.stored(t.db, 'seed', () => 'x'),
      /SVC_MASTER_KEY/,
    )
  })
})
