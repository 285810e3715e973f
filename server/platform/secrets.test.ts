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
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSecrets(folder)))
    const sealed = opened[0]?.seal('text', 'context') ?? ''
    for (const secrets of opened) assert.equal(secrets.open(sealed, 'context'), 'text')
    assert.equal((await stat(join(folder, 'master.key'))).mode & 0o777, 0o600)
  })

  test('a sealed text opens in its context only, and not when it was changed', async () => {
    const secrets = await openSecrets(folder)
    const sealed = secrets.seal('text', 'one')
    assert.throws(() => secrets.open(sealed, 'another'))
    const bytes = Buffer.from(sealed, 'base64url')
    bytes[20] = (bytes[20] ?? 0) ^ 1
    assert.throws(() => secrets.open(bytes.toString('base64url'), 'one'))
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
