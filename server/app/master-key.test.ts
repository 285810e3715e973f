import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, startServerProcess, startTestService } from '#test'

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
