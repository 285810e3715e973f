import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, startServerProcess, startTestService } from '#test'
import { sql } from '#platform/kernel/sql'

test('a start over an existing database without its master key ends and makes no key', async () => {
  const service = await startTestService()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-lost-'))
  try {
    const env = { PORT: String(await freePort()), DATABASE_URL: service.databaseUrl, SVC_DATA_DIR: dataDir }
    await assert.rejects(
      startServerProcess(env),
      /ended with 1:\n.*master key is missing. Restore .*master\.key/,
    )
    await assert.rejects(stat(join(dataDir, 'master.key')), { code: 'ENOENT' })
  } finally {
    await service.close()
    await rm(dataDir, { recursive: true })
  }
})

test('a start with another master key ends before it stores a secret with it', async () => {
  const service = await startTestService()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-other-'))
  try {
    const { db, secrets } = service.services
    // Those that a new version would make on its first start are missing.
    await db.run(sql`delete from platform_secret where name <> 'platform/first'`)
    const env = { DATABASE_URL: service.databaseUrl, SVC_DATA_DIR: dataDir, SVC_MASTER_KEY: 'cd'.repeat(32) }
    await assert.rejects(
      startServerProcess({ ...env, PORT: String(await freePort()) }),
      /ended with 1:\n.*master key does not match this database/,
    )
    for (const { name } of await db.rows(sql<{ name: string }>`select name from platform_secret`))
      await secrets.find(db, name)
  } finally {
    await service.close()
    await rm(dataDir, { recursive: true })
  }
})
