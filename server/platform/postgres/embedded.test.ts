import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pidOf } from './cluster.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'

const MODULE = join(import.meta.dirname, 'embedded.ts')
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

suite('the embedded PostgreSQL', () => {
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

  test('is made on the first start, durable, private, in UTC and UTF-8, and keeps its data over a stop', async () => {
    const first = await start(join(base, 'first'))
    assert.deepEqual(await query(first.url, `select current_setting('server_version_num')::int / 10000 as major, current_setting('fsync') as fsync, current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listens`),
      [{ major: 18, fsync: 'on', zone: 'UTC', encoding: 'UTF8', listens: '' }])
    await query(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    assert.equal(await pidOf(first.directory), null)
    const second = await start(join(base, 'first'))
    assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
  })

  test('two folders run at once', async () => {
    const [one, other] = await Promise.all([start(join(base, 'one')), start(join(base, 'other'))])
    await query(one.url, 'create table mine ()')
    await assert.rejects(query(other.url, 'select from mine'))
  })

  test('two processes on one folder share it, and the last one ends it', async () => {
    const [one, other] = await Promise.all([start(join(base, 'shared')), start(join(base, 'shared'))])
    await one.stop()
    assert.deepEqual(await query(other.url, 'select 1 as one'), [{ one: 1 }])
    await other.stop()
    assert.equal(await pidOf(other.directory), null)
  })

  test('two that stop at the same moment leave nothing running', async () => {
    const [one, other] = await Promise.all([start(join(base, 'together')), start(join(base, 'together'))])
    await Promise.all([one.stop(), other.stop()])
    assert.equal(await pidOf(other.directory), null)
  })

  test('a start while the last one stops waits for its end and gets a server that stays', async () => {
    for (const pause of [0, 10, 30]) {
      const stopping = (await start(join(base, 'overlap'))).stop()
      await sleep(pause)
      const next = await start(join(base, 'overlap'))
      await stopping
      assert.deepEqual(await query(next.url, 'select 1 as one'), [{ one: 1 }])
      await next.stop()
    }
  })

  test('settings for other PostgreSQL clients in the environment change nothing', async () => {
    const foreign = { PGPORT: '1', PGSSLMODE: 'require', PGHOST: 'nowhere.invalid', PGUSER: 'stranger', PGDATABASE: 'other' }
    const before = { ...process.env }
    Object.assign(process.env, foreign)
    try {
      assert.deepEqual(await query((await start(join(base, 'environment'))).url, 'select current_user as who'), [{ who: 'svc' }])
    } finally {
      for (const name of Object.keys(foreign)) {
        delete process.env[name]
        if (before[name] !== undefined) process.env[name] = before[name]
      }
    }
  })

  test('a left-over of a killed process is adopted with everything in it, and then stopped', async () => {
    const script = `const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)}); const p = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(join(base, 'killed'))} }); console.log(p.url); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const url = await new Promise<string>(resolve => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())))
    await query(url, 'create table kept as select 7 as answer')
    child.kill('SIGKILL')
    await new Promise(resolve => child.once('exit', resolve))
    const left = await pidOf(join(base, 'killed/postgres'))
    const adopted = await start(join(base, 'killed'))
    assert.equal(await pidOf(adopted.directory), left)
    assert.deepEqual(await query(adopted.url, 'select answer from kept'), [{ answer: 7 }])
    await adopted.stop()
    assert.equal(await pidOf(adopted.directory), null)
  })

  test('a killed postmaster recovers, and a pid file that names a stranger is no obstacle', async () => {
    const first = await start(join(base, 'crashed'))
    await query(first.url, 'create table kept as select 9 as answer')
    const pid = await pidOf(first.directory)
    assert.ok(pid)
    running = []
    process.kill(pid, 'SIGKILL')
    await writeFile(join(first.directory, 'postmaster.pid'), `${process.pid}\n${first.directory}\n`)
    const second = await start(join(base, 'crashed'))
    assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 9 }])
  })

  test('a killed postmaster\'s busy backend is waited for, never run beside', async () => {
    const first = await start(join(base, 'survivor'))
    running = []
    const busy = new pg.Client({ connectionString: first.url })
    busy.on('error', () => undefined)
    await busy.connect()
    const { rows: [backend] } = await busy.query<{ pid: number }>('select pg_backend_pid() as pid')
    const loop = busy.query('do $$ begin for i in 1..2000000000 loop end loop; end $$').catch(() => undefined)
    const pid = await pidOf(first.directory)
    assert.ok(pid && backend)
    process.kill(pid, 'SIGKILL')
    let survivorEnded = false
    const ending = sleep(400).then(() => { survivorEnded = process.kill(backend.pid, 'SIGKILL') })
    await start(join(base, 'survivor'))
    assert.ok(survivorEnded)
    await Promise.all([ending, loop])
  })

  test('a folder too deep for a socket path works', async () => {
    const deep = join(base, 'x'.repeat(60), 'y'.repeat(60))
    assert.deepEqual(await query((await start(deep)).url, 'select 1 as one'), [{ one: 1 }])
  })

  test('data of another major version is refused with what to do', async () => {
    const dataDir = join(base, 'old')
    await (await start(dataDir)).stop()
    running = []
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
    await assert.rejects(startEmbeddedPostgres({ dataDir }), /made by PostgreSQL 17/)
  })

  test('root with a folder that others cannot enter gets a place that they can, and says where', { skip: root ? false : 'only root can lend PostgreSQL another user' }, async () => {
    const closed = join(base, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const said: string[] = []
    const postgres = await start(join(closed, 'data'), message => { said.push(message) })
    assert.deepEqual(await query(postgres.url, 'select 1 as one'), [{ one: 1 }])
    assert.ok(!postgres.directory.startsWith(base) && said.some(line => line.includes(postgres.directory.replace(/\/postgres$/, ''))), said.join())
    await query(postgres.url, 'create table kept as select 5 as answer')
    await postgres.stop()
    running = []
    await chmod(closed, 0o755)
    const opened = await start(join(closed, 'data'))
    assert.deepEqual(await query(opened.url, 'select answer from kept'), [{ answer: 5 }])
    await opened.stop()
    running = []
    await rm(join(postgres.directory, '..'), { recursive: true })
  })

  test('an ordinary user starts it as itself', { skip: root ? false : 'the other tests already run as an ordinary user' }, async () => {
    const dataDir = join(base, 'ordinary')
    await mkdir(dataDir)
    await chown(dataDir, 65_534, 65_534)
    const script = `const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)}); const p = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} }); await p.stop(); console.log('fine')`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { uid: 65_534, gid: 65_534, cwd: '/', env: { PATH: process.env.PATH }, encoding: 'utf8' })
    assert.match(stdout, /fine/, stderr)
  })
})
