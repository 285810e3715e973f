import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, suite, test } from 'node:test'
import pg from 'pg'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'

const root = process.getuid?.() === 0

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

suite('the folder of the embedded PostgreSQL', () => {
  let base: string
  let running: EmbeddedPostgres[] = []
  const start = async (dataDir: string, log?: (message: string) => void) => {
    const postgres = await startEmbeddedPostgres({ dataDir, log })
    running.push(postgres)
    return postgres
  }
  before(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'svc-pg-test-')))
    await chmod(base, 0o755)
  })
  afterEach(async () => {
    for (const postgres of running) await postgres.stop()
    running = []
  })
  after(() => rm(base, { recursive: true, force: true }))

  test('a folder too deep for a socket path works', async () => {
    const deep = join(base, 'x'.repeat(60), 'y'.repeat(60))
    assert.deepEqual(await query((await start(deep)).url, 'select 1 as one'), [{ one: 1 }])
  })

  test('a folder whose path has a space, a comma, quotes or an umlaut works', async () => {
    for (const name of ["Ada's data", 'a, b', 'a "b"', 'für c']) {
      const { url } = await start(join(base, name))
      assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }], name)
    }
  })

  test('a link that somebody made where the socket of a deep folder might go is not followed', async () => {
    const deep = join(base, 'z'.repeat(60), 'y'.repeat(60))
    const victim = join(base, 'victim')
    await mkdir(victim, { mode: 0o700 })
    const link = `/tmp/svc-pg-${createHash('sha256').update(join(deep, 'postgres')).digest('hex').slice(0, 16)}`
    await symlink(victim, link)
    try {
      if (root) assert.deepEqual(await query((await start(deep)).url, 'select 1 as one'), [{ one: 1 }])
      else await assert.rejects(start(deep), /is not a private folder/)
      assert.deepEqual([(await stat(victim)).uid, await readdir(victim)], [process.getuid?.(), []])
    } finally {
      await rm(link)
    }
  })

  test('data of another major version is refused with what to do', async () => {
    const dataDir = join(base, 'old')
    await (await start(dataDir)).stop()
    running = []
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
    await assert.rejects(startEmbeddedPostgres({ dataDir }), /made by PostgreSQL 17/)
  })
})
