import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort, startServerProcess } from '#test'
import { startEmbeddedPostgres } from '#platform/adapters/postgres/embedded'
import { DealLoad, type LoadDeal } from './load.ts'

const SVC = join(import.meta.dirname, '../../bin/svc')
const CLIENTS = 2
/** Of a client before each step: the copy takes seconds, and a few deals that end meanwhile are enough. */
const PAUSE_MS = 200

/** Deals, a copy of the files meanwhile, more deals, a mistake of an operator: the moment before it comes back. */
suite('recovery of a moment, from a copy of the files and the archived log', () => {
  let folder: string
  let archive: string
  let copy: string
  let load: DealLoad
  let moment: Date
  let acknowledged: LoadDeal[]

  const env = (dataDir: string) => ({
    SVC_DATA_DIR: join(folder, dataDir),
    SVC_BACKUP_PASSPHRASE: 'the passphrase of the test',
  })
  const svc = (words: string[], more: Record<string, string>) =>
    new Promise<{ status: number; out: string; err: string }>(resolve => {
      execFile(SVC, words, { cwd: '/', env: { PATH: process.env.PATH, ...more } }, (error, out, err) =>
        resolve({ status: error ? Number(error.code) : 0, out, err }),
      )
    })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-recovery-'))
    // As root the embedded server runs as another user, which must pass through.
    await chmod(folder, 0o755)
    archive = join(folder, 'archive')
    copy = join(folder, 'copy')
    const settings = { ...env('first'), SVC_WAL_ARCHIVE: archive }
    const service = await startServerProcess({ ...settings, PORT: String(await freePort()) })
    load = await new DealLoad(service.baseUrl).start(CLIENTS, PAUSE_MS)
    await load.more(CLIENTS)
    const during = load.ended.length
    const { status, out, err } = await svc(['backup', '--physical', copy], settings)
    assert.deepEqual([status, err], [0, ''], out)
    assert.match(out, /It needs the archive from [0-9A-F]{24} on\./)
    assert.ok(load.ended.length > during, 'no deal ended while the files were copied')
    await load.more(CLIENTS)
    acknowledged = load.ended
    moment = new Date()
    await load.more(CLIENTS)
    await load.stop()
    await emptyNegotiations(join(folder, 'first'))
    // The last segment is archived on a stop; while the service runs, within a minute.
    assert.equal(await service.end('SIGTERM'), 0)
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  test('the copy and the archive are for their owners alone', async () => {
    for (const path of [copy, archive]) assert.equal((await stat(path)).mode & 0o777, 0o700)
    const segments = await readdir(archive)
    assert.ok(segments.length > 1 && segments.every(name => /^[0-9A-F]{24}(\.\w+\.backup)?\.gz$/.test(name)))
  })

  test('leaves no folder behind if the server archives nothing, and replaces none', async () => {
    const failed = join(folder, 'failed')
    const { status, err } = await svc(['backup', '--physical', failed], env('first'))
    assert.equal(status, 1)
    assert.match(err, /does not archive its log.*set SVC_WAL_ARCHIVE/)
    await assert.rejects(stat(failed), { code: 'ENOENT' })
    assert.match(
      (await svc(['backup', '--physical', copy], env('first'))).err,
      /copy exists: name a new folder/,
    )
  })

  test('restores the moment before the mistake, with every deal that was acknowledged by then', async () => {
    const until = moment.toISOString()
    const words = ['restore', copy, '--archive', archive, '--until', until]
    const archived = await readdir(archive)
    // With the settings of the service, as an operator has them: another attempt needs the archive as it is.
    const { status, out, err } = await svc(words, { ...env('second'), SVC_WAL_ARCHIVE: archive })
    assert.deepEqual([status, err], [0, ''], out)
    assert.deepEqual(await readdir(archive), archived)
    assert.match(out, /The ledger is consistent: no findings\. Both chains verify/)
    const restored = await startServerProcess({ ...env('second'), PORT: String(await freePort()) })
    try {
      assert.deepEqual(await load.lost(restored.baseUrl, acknowledged), [])
      const later = load.ended.filter(deal => deal.startedAt > moment)
      assert.ok(later.length > 0)
      assert.equal((await load.lost(restored.baseUrl, later)).length, later.length)
    } finally {
      await restored.end('SIGTERM')
    }
    const again = await svc(words, env('second'))
    assert.equal(again.status, 1)
    assert.match(again.err, /postgres exists: restore into an empty data folder/)
  })

  test('a restore that was killed is named by a start, and replaced by the next one', async () => {
    const words = ['restore', copy, '--archive', archive]
    const settings = env('killed')
    const first = spawn(SVC, words, {
      cwd: '/',
      env: { PATH: process.env.PATH, ...settings },
      detached: true,
      stdio: 'ignore',
    })
    const ended = new Promise(resolve => first.once('exit', resolve))
    const begun = join(settings.SVC_DATA_DIR, 'postgres', 'base')
    while (first.exitCode === null && !(await stat(begun).catch(() => null))) await sleep(5)
    assert.ok(first.pid)
    // Its launcher and the command.
    process.kill(-first.pid, 'SIGKILL')
    await ended
    await assert.rejects(
      startServerProcess({ ...settings, PORT: String(await freePort()) }),
      /holds a restore that has not ended: run "svc restore" again/,
    )
    const { status, out, err } = await svc(words, settings)
    assert.deepEqual([status, err], [0, ''], out)
    assert.match(out, /The ledger is consistent: no findings/)
  })

  test('a damaged file of the archive ends the restore with an error, and leaves no database', async () => {
    const [last = ''] = (await readdir(archive))
      .filter(name => /^[0-9A-F]{24}\.gz$/.test(name))
      .toSorted()
      .slice(-1)
    const whole = await readFile(join(archive, last))
    await writeFile(join(archive, last), whole.subarray(0, whole.length / 2))
    const { status, err } = await svc(['restore', copy, '--archive', archive], env('fourth'))
    await writeFile(join(archive, last), whole)
    assert.equal(status, 1)
    assert.match(err, /restore_command|could not restore file/)
    assert.deepEqual(
      (await readdir(join(folder, 'fourth'))).filter(name => /^(postgres|master\.key)$/.test(name)),
      [],
    )
  })

  test('refuses a time before the copy, a time without a zone, and a damaged copy', async () => {
    const words = ['restore', copy, '--archive', archive, '--until']
    const early = await svc([...words, '2020-01-01T00:00:00Z'], env('third'))
    assert.match(early.err, /for an earlier time use an older copy/)
    assert.equal((await svc([...words, '2020-01-01 00:00'], env('third'))).status, 64)
    const late = await svc([...words, new Date(Date.now() + 60_000).toISOString()], env('third'))
    assert.match(
      late.err,
      /the archive has no change at --until or after it; its last one is of \d{4}-\S+ \S+\. Without --until all/,
    )
    const elsewhere = await svc(
      ['restore', copy, '--archive', join(folder, 'missing'), '--until', moment.toISOString()],
      env('third'),
    )
    assert.match(elsewhere.err, /there is no folder \S+missing: --archive names/)
    await mkdir(join(folder, 'other'))
    const other = await svc(['restore', copy, '--archive', join(folder, 'other')], env('third'))
    assert.match(other.err, /other lacks [0-9A-F]{24}\.gz, which the copy needs/)
    await appendFile(join(copy, 'data/global/pg_control'), 'x')
    const damaged = await svc([...words, moment.toISOString()], env('third'))
    assert.match(damaged.err, /pg_control is missing or damaged/)
    assert.deepEqual(
      (await readdir(join(folder, 'third'))).filter(name => /^(postgres|master\.key)$/.test(name)),
      [],
    )
  })
})

async function emptyNegotiations(dataDir: string): Promise<void> {
  const { adminUrl, stop } = await startEmbeddedPostgres({ dataDir, command: true })
  const client = new pg.Client({ connectionString: adminUrl.replace('/postgres?', '/svc?') })
  await client.connect()
  await client.query('truncate ap2_negotiation cascade')
  await client.end()
  await stop()
}
