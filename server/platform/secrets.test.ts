import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { sql } from './sql.ts'
import { openSecrets } from './secrets.ts'

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
        return openSecrets(fresh)
      })
      const opened = await Promise.all(starts)
      const sealed = opened[0]?.seal('text', 'context') ?? ''
      for (const secrets of opened) assert.equal(secrets.open(sealed, 'context'), 'text')
      assert.equal((await stat(join(fresh, 'master.key'))).mode & 0o777, 0o600)
    }
  })

  test('a sealed text opens in its context only, and not when it was changed', async () => {
    const secrets = await openSecrets(folder)
    const sealed = secrets.seal('text', 'one')
    assert.throws(() => secrets.open(sealed, 'another'))
    const bytes = Buffer.from(sealed, 'base64url')
    bytes[20] = (bytes[20] ?? 0) ^ 1
    assert.throws(() => secrets.open(bytes.toString('base64url'), 'one'))
  })

  test('one text sealed twice looks different each time, and each purpose has a key of its own', async () => {
    const secrets = await openSecrets(folder)
    assert.notEqual(secrets.seal('text', 'one').slice(0, 16), secrets.seal('text', 'one').slice(0, 16))
    assert.equal(secrets.derive('one').length, 32)
    assert.deepEqual(secrets.derive('one'), secrets.derive('one'))
    assert.notDeepEqual(secrets.derive('one'), secrets.derive('two'))
  })

  test('the key of the environment counts before that of the folder', async () => {
    const [own, given] = [await openSecrets(folder), await openSecrets(folder, 'ab'.repeat(32))]
    assert.throws(() => own.open(given.seal('text', 'one'), 'one'))
    assert.equal((await openSecrets('/nowhere/at/all', 'ab'.repeat(32))).open(given.seal('text', 'one'), 'one'), 'text')
  })

  test('a stored secret that was moved to another name does not open', async () => {
    const secrets = await openSecrets(folder)
    await secrets.stored(t.db, 'first', () => 'one')
    await secrets.stored(t.db, 'second', () => 'two')
    await t.db.run(sql`update platform_secret s set sealed = f.sealed from platform_secret f
      where f.name = 'first' and s.name = 'second'`)
    await assert.rejects(secrets.stored(t.db, 'second', () => 'x'))
    assert.equal(await secrets.stored(t.db, 'first', () => 'another'), 'one')
  })

  test('a stored secret is the same for all, sealed in the database, and needs the right master key', async () => {
    const secrets = await openSecrets(folder)
    let made = 0
    const values = await Promise.all(Array.from({ length: 8 }, () => secrets.stored(t.db, 'seed', () => `plain-${made++}`)))
    assert.equal(new Set(values).size, 1)
    const rows = await t.db.rows(sql<{ sealed: string }>`select sealed from platform_secret`)
    assert.ok(rows.every(row => !row.sealed.includes('plain')))
    const foreign = await openSecrets(folder, '00'.repeat(32))
    await assert.rejects(foreign.stored(t.db, 'seed', () => 'x'), /SVC_MASTER_KEY/)
  })
})
