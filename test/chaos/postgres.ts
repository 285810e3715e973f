import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { appendFile, chmod, chown, mkdir, readFile, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from '../../server/platform/adapters/postgres/binaries.ts'
import { readableBinaries } from '../../server/platform/adapters/postgres/place.ts'
import { databaseUser, initdbUser, type RunAs } from '../../server/platform/adapters/postgres/user.ts'
import { childrenOf, freePort } from '#test'

const ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
const DATABASE = 'market'
const DISK = 'size=8g'
const START_MS = 60_000
/** What remains free on a full disk: less than a segment of the WAL. */
const REST_KIB = 256

/** A PostgreSQL of its own with durable commits, as a child of this process. Its disk is a file system in memory where root may mount one. */
export class Postgres {
  readonly #folder: string
  readonly #native: string
  readonly #runAs: RunAs | null
  readonly #port: number
  #child: ChildProcess | undefined
  #starting: Promise<void> | undefined
  /** Whether the disk can be filled. */
  readonly hasDisk: boolean

  private constructor(
    folder: string,
    native: string,
    of: { port: number; runAs: RunAs | null; hasDisk: boolean },
  ) {
    this.#folder = folder
    this.#native = native
    this.#port = of.port
    this.#runAs = of.runAs
    this.hasDisk = of.hasDisk
  }

  static async create(folder: string): Promise<Postgres> {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    const hasDisk =
      process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', DISK, 'tmpfs', disk]).status === 0
    const runAs = await databaseUser()
    const of = { port: await freePort(), runAs, hasDisk }
    const native = await readableBinaries(await findBinaries(), runAs)
    const postgres = new Postgres(folder, native, of)
    await postgres.#initialize()
    await postgres.start()
    await postgres.#createDatabase()
    return postgres
  }

  get port(): number {
    return this.#port
  }

  url(port = this.#port, role = 'svc'): string {
    return `postgres://${role}:secret@127.0.0.1:${port}/${DATABASE}`
  }

  get #data(): string {
    return join(this.#folder, 'disk/data')
  }

  async #initialize(): Promise<void> {
    const user = this.#runAs && (await initdbUser(this.#runAs))
    const password = join(this.#folder, 'disk/password')
    await mkdir(this.#data, { mode: 0o700 })
    await writeFile(password, 'secret')
    if (user) {
      for (const path of [this.#data, password]) await chown(path, user.uid, user.gid)
      for (const path of [this.#folder, join(this.#folder, 'disk')]) await chmod(path, 0o755)
    }
    const args = ['-D', this.#data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${password}`]
    const more = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    const { status, stderr } = spawnSync(join(this.#native, 'bin/initdb'), [...args, ...more], {
      ...user,
      env: ENV,
      cwd: '/',
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
    if (this.#runAs) spawnSync('chown', ['-hR', `${this.#runAs.uid}:${this.#runAs.gid}`, this.#data])
  }

  async #createDatabase(): Promise<void> {
    const url = new URL(this.url(this.#port, 'postgres'))
    url.pathname = '/postgres'
    await withClient(url.href, async client => {
      await client.query(`create role svc login password 'secret'`)
      await client.query(`create database ${DATABASE} owner svc`)
    })
  }

  /** Starts the postmaster and waits until it answers; one start at a time. */
  start(): Promise<void> {
    return (this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    }))
  }

  async #start(): Promise<void> {
    for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(50)) {
      // The children of a killed postmaster may still be there: then the start fails.
      if (!this.isRunning) await this.#spawn()
      if (await this.answers()) return
    }
    throw new Error(`PostgreSQL did not start:\n${await readFile(this.#log, 'utf8')}`)
  }

  get #log(): string {
    return join(this.#folder, 'postgres.log')
  }

  async #spawn(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.#port}`,
      'unix_socket_directories=',
      'max_connections=100',
      'shared_buffers=128MB',
      'max_wal_size=256MB',
      'timezone=UTC',
    ]
    const args = ['-D', this.#data, ...settings.flatMap(setting => ['-c', setting])]
    const child = spawn(join(this.#native, 'bin/postgres'), args, {
      ...this.#runAs,
      env: ENV,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    child.stderr.on('data', (chunk: Buffer) => void appendFile(this.#log, chunk).catch(() => undefined))
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async answers(): Promise<boolean> {
    return withClient(
      this.url(this.#port, this.#child ? 'postgres' : 'svc').replace(`/${DATABASE}`, '/postgres'),
      client => client.query('select 1'),
    ).then(
      () => true,
      () => false,
    )
  }

  /** Sends a signal to the postmaster and waits for its end: SIGKILL, or SIGQUIT for an immediate stop. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || !this.isRunning) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  /** Stops the postmaster and all its children for a while; they take no signal but SIGKILL and SIGCONT. */
  async freeze(ms: number): Promise<void> {
    const pid = this.#child?.pid
    if (pid === undefined || !this.isRunning) return
    const all = [pid, ...(await childrenOf(pid)).map(child => child.pid)]
    for (const each of all) signalTo(each, 'SIGSTOP')
    await sleep(ms)
    for (const each of all) signalTo(each, 'SIGCONT')
  }

  /** The processes that write: the sessions, the WAL writer and the checkpointer. */
  async writers(): Promise<number[]> {
    const pid = this.#child?.pid
    return pid === undefined ? [] : (await childrenOf(pid)).map(child => child.pid)
  }

  signal(pid: number, signal: NodeJS.Signals): void {
    signalTo(pid, signal)
  }

  /** Leaves almost no space on the disk for a while. */
  async fillDisk(ms: number): Promise<void> {
    const disk = join(this.#folder, 'disk')
    const { blocks, bavail, bsize } = await statfs(disk)
    const usedKib = Math.ceil(((blocks - bavail) * bsize) / 1024)
    this.#resize(disk, `size=${usedKib + REST_KIB}k`)
    await sleep(ms)
    this.#resize(disk, DISK)
  }

  #resize(disk: string, size: string): void {
    spawnSync('mount', ['-o', `remount,${size}`, disk])
  }

  /** Sessions of the services end, as an administrator ends them. */
  async terminateSessions(): Promise<void> {
    await withClient(this.url(this.#port, 'postgres'), client =>
      client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc'`),
    ).catch(() => undefined)
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    query_timeout: 60_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
