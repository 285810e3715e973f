import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../server/platform/adapters/postgres/embedded.ts'

/** The file system of Linux that is in memory. */
const MEMORY = '/dev/shm'
/** Several times what a run needs at a time. */
const MIN_FREE_BYTES = 4 * 2 ** 30

/** Runs `work` with the superuser's URL of an embedded PostgreSQL whose data does not outlive it. */
export async function onEmbedded(work: (url: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(await fastestFolder(), 'svc-ci-'))
  // Open to the user that root lends PostgreSQL, or its data would go elsewhere and stay there.
  await chmod(dataDir, 0o755)
  const server = await startEmbeddedPostgres({ dataDir })
  try {
    await tune(server.adminUrl)
    await work(server.adminUrl)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * In memory where enough is free. A database is 1,000 files, and each of some hundred test databases is dropped soon: ext4
 * takes up to a second of processor time to create as many files again, because it does not use the inodes of recently
 * deleted ones.
 */
async function fastestFolder(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => null)
  const free = memory ? Math.min(memory.bavail * memory.bsize, process.availableMemory()) : 0
  return free >= MIN_FREE_BYTES ? MEMORY : tmpdir()
}

/**
 * Its data does not outlive the run: only a crash of the machine loses anything, and DROP DATABASE does not wait. A test runs
 * a statement a few times on each of ten connections, which would plan it six times each before they use a plan again.
 */
async function tune(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await client.query(`alter system set ${setting} = off`)
  await client.query('alter system set plan_cache_mode = force_generic_plan')
  await client.query('select pg_reload_conf()')
  await client.end()
}
