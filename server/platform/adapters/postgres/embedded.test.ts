import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'
import { pidOf } from './pid.ts'
import { canUse } from './user.ts'

const MODULE = join(import.meta.dirname, 'embedded.ts')
const root = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }

/** Why no ordinary user can start the service from here; false if one can. */
function whyNotOrdinary(): string | false {
  if (!root) return 'the other tests already run as an ordinary user'
  return canUse(NOBODY, ['-r', MODULE]) ? false : 'others cannot enter the folder of this checkout'
}

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
  /** The folder of most tests: to make a cluster takes a second of processor time. */
  const known = () => join(base, 'first')
  /** Where several starts make the cluster at the same time. */
  const crowded = () => join(base, 'crowd')
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
    const first = await start(known())
    assert.deepEqual(
      await query(
        first.url,
        `select current_setting('server_version_num')::int / 10000 as major, current_setting('fsync') as fsync, current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listens`,
      ),
      [{ major: 18, fsync: 'on', zone: 'UTC', encoding: 'UTF8', listens: '' }],
    )
    await query(first.url, 'create table stored as select 42 as answer')
    await first.stop()
    assert.equal(await pidOf(first.directory), null)
    const second = await start(known())
    assert.deepEqual(await query(second.url, 'select answer from stored'), [{ answer: 42 }])
  })

  test('each connection needs a password, and the role of the service has no right but its database', async () => {
    const { url, adminUrl, directory } = await start(known())
    const rights = `select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as privileged from pg_roles where rolname = current_user`
    assert.deepEqual(await query(url, rights), [{ privileged: false }])
    await assert.rejects(query(url, `copy (select 1) to program 'true'`), { code: '42501' })
    for (const each of [url, adminUrl]) {
      const wrong = new URL(each)
      wrong.password = 'wrong'
      await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' })
    }
    assert.equal((await stat(join(directory, '../postgres.pgpass'))).mode & 0o777, 0o600)
    if (!root) return
    const { uid } = await stat(directory)
    assert.doesNotMatch(await readFile('/etc/passwd', 'utf8'), new RegExp(`^[^:]*:[^:]*:${uid}:`, 'm'))
  })

  test('a cluster of an older version keeps its data, and then needs a password', async () => {
    const dataDir = known()
    const made = await start(dataDir)
    const asOwner = made.adminUrl.replace('/postgres?', '/svc?')
    // In an older version the superuser owned all.
    await query(asOwner, 'reassign owned by svc_app to svc')
    await query(asOwner, 'create schema jobs')
    await query(
      asOwner,
      'create table jobs.stored (id serial primary key, answer int) partition by range (id)',
    )
    await query(asOwner, 'create table jobs.part partition of jobs.stored for values from (1) to (10)')
    await query(
      asOwner,
      `create type mood as enum ('good'); create view seen as select 1; create function one() returns int language sql as 'select 1'`,
    )
    await query(asOwner, 'insert into jobs.stored (answer) values (3)')
    await query(made.adminUrl, 'drop role svc_app')
    await made.stop()
    await writeFile(join(made.directory, 'pg_hba.conf'), 'local all all trust\n')
    await rm(join(dataDir, 'postgres.pgpass'))
    if (root) await promisify(execFile)('chown', ['-R', '65534:65534', made.directory])

    const { url, directory } = await start(dataDir)
    assert.deepEqual(await query(url, 'select answer from jobs.stored'), [{ answer: 3 }])
    await query(
      url,
      `alter table jobs.stored add column more text; alter table jobs.part add check (answer > 0); drop function one(); drop view seen; drop type mood; drop schema jobs cascade`,
    )
    await assert.rejects(query(url.replace(/svc_app:[^@]*@/, 'svc@'), 'select 1'))
    if (root) assert.notEqual((await stat(directory)).uid, 65_534)
  })

  test('starts at the same time on a new folder, and with lost passwords, all succeed', async () => {
    const dataDir = crowded()
    for (const isLost of [false, true]) {
      if (isLost) await rm(join(dataDir, 'postgres.pgpass'))
      const crowd = await Promise.all([start(dataDir), start(dataDir)])
      for (const { url } of crowd) assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
      const [{ directory, url }] = crowd
      assert.match(await readFile(join(directory, 'pg_hba.conf'), 'utf8'), /scram-sha-256/)
      await assert.rejects(query(url.replace(/svc_app:[^@]*@/, 'svc@'), 'select 1'))
      await Promise.all(crowd.map(each => each.stop()))
      running = []
    }
  })

  test('two folders run at once', async () => {
    const [one, other] = await Promise.all([start(known()), start(crowded())])
    await query(one.url, 'create table mine ()')
    await assert.rejects(query(other.url, 'select from mine'))
  })

  test('two processes on one folder share it, and the last one ends it', async () => {
    const [one, other] = await Promise.all([start(known()), start(known())])
    await one.stop()
    assert.deepEqual(await query(other.url, 'select 1 as one'), [{ one: 1 }])
    await other.stop()
    assert.equal(await pidOf(other.directory), null)
  })

  test('two that stop at the same moment leave nothing running', async () => {
    const [one, other] = await Promise.all([start(known()), start(known())])
    await Promise.all([one.stop(), other.stop()])
    assert.equal(await pidOf(other.directory), null)
  })

  test('a start while the last one stops waits for its end and gets a server that stays', async () => {
    for (const pause of [0, 10, 30]) {
      const stopping = (await start(known())).stop()
      await sleep(pause)
      const next = await start(known())
      await stopping
      assert.deepEqual(await query(next.url, 'select 1 as one'), [{ one: 1 }])
      await next.stop()
    }
  })

  test('settings for other PostgreSQL clients in the environment change nothing', async () => {
    const foreign = {
      PGPORT: '1',
      PGSSLMODE: 'require',
      PGHOST: 'nowhere.invalid',
      PGUSER: 'outsider',
      PGDATABASE: 'other',
    }
    const before = { ...process.env }
    Object.assign(process.env, foreign)
    try {
      assert.deepEqual(await query((await start(known())).url, 'select current_user as who'), [
        { who: 'svc_app' },
      ])
    } finally {
      for (const name of Object.keys(foreign)) {
        delete process.env[name]
        if (before[name] !== undefined) process.env[name] = before[name]
      }
    }
  })

  test('a left-over of a killed process is adopted with everything in it, and then stopped', async () => {
    const script = `const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)}); const p = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(known())} }); console.log(p.url); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const url = await new Promise<string>(resolve =>
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())),
    )
    await query(url, 'create table left_over as select 7 as answer')
    child.kill('SIGKILL')
    await new Promise(resolve => child.once('exit', resolve))
    const left = await pidOf(join(known(), 'postgres'))
    assert.ok(left)
    const adopted = await start(known())
    assert.equal(await pidOf(adopted.directory), left)
    assert.deepEqual(await query(adopted.url, 'select answer from left_over'), [{ answer: 7 }])
    await adopted.stop()
    assert.equal(await pidOf(adopted.directory), null)
  })

  test('recovers from a killed postmaster, with a pid file of another process too', async () => {
    const first = await startEmbeddedPostgres({ dataDir: known(), command: true })
    await query(first.url, 'create table crashed as select 9 as answer')
    const pid = await pidOf(first.directory)
    assert.ok(pid)
    process.kill(pid, 'SIGKILL')
    await writeFile(join(first.directory, 'postmaster.pid'), `${process.pid}\n${first.directory}\n`)
    const second = await start(known())
    assert.deepEqual(await query(second.url, 'select answer from crashed'), [{ answer: 9 }])
  })

  test("a killed postmaster's busy backend is waited for, never run beside", async () => {
    const first = await startEmbeddedPostgres({ dataDir: known(), command: true })
    const busy = new pg.Client({ connectionString: first.url })
    busy.on('error', () => undefined)
    await busy.connect()
    const {
      rows: [backend],
    } = await busy.query<{ pid: number }>('select pg_backend_pid() as pid')
    const loop = busy.query('do $$ begin for i in 1..2000000000 loop end loop; end $$').catch(() => undefined)
    const pid = await pidOf(first.directory)
    assert.ok(pid && backend)
    process.kill(pid, 'SIGKILL')
    let survivorEnded = false
    const ending = sleep(400).then(() => {
      survivorEnded = process.kill(backend.pid, 'SIGKILL')
    })
    await start(known())
    assert.ok(survivorEnded)
    await Promise.all([ending, loop])
  })

  test(
    'root with a folder that others cannot enter gets a place that they can, and says where',
    { skip: root ? false : 'only root can lend PostgreSQL another user' },
    async () => {
      const closed = join(base, 'closed')
      await mkdir(closed, { mode: 0o700 })
      const said: string[] = []
      const postgres = await start(join(closed, 'data'), message => {
        said.push(message)
      })
      assert.deepEqual(await query(postgres.url, 'select 1 as one'), [{ one: 1 }])
      assert.ok(
        !postgres.directory.startsWith(base) &&
          said.some(line => line.includes(postgres.directory.replace(/\/postgres$/, ''))),
        said.join(),
      )
      await query(postgres.url, 'create table stored as select 5 as answer')
      await postgres.stop()
      running = []
      await chmod(closed, 0o755)
      const opened = await start(join(closed, 'data'))
      assert.deepEqual(await query(opened.url, 'select answer from stored'), [{ answer: 5 }])
      await opened.stop()
      running = []
      await rm(join(postgres.directory, '..'), { recursive: true })
    },
  )

  test('an ordinary user starts it as itself', { skip: whyNotOrdinary() }, async () => {
    const [dataDir, foreign] = [join(base, 'ordinary'), join(base, 'foreign')]
    await mkdir(dataDir)
    await chown(dataDir, 65_534, 65_534)
    await mkdir(foreign, { mode: 0o700 })
    const startIn = (folder: string) => {
      const script = `const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)}); const p = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder)} }); await p.stop(); console.log('fine')`
      return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        ...NOBODY,
        cwd: '/',
        env: { PATH: process.env.PATH },
        encoding: 'utf8',
      })
    }
    const { stdout, stderr } = startIn(dataDir)
    assert.match(stdout, /fine/, stderr)
    assert.match(
      startIn(foreign).stderr,
      /User 65534 may not use the data folder .*foreign \(permission denied\)\. Start the service as the owner/,
    )
  })
})
