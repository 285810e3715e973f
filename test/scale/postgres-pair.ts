import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '#test'
import { findBinaries } from '../../server/platform/adapters/postgres/binaries.ts'
import { databaseUser, giveTree, initdbUser } from '../../server/platform/adapters/postgres/user.ts'

const USER = 'svc'

/** A primary and a synchronous standby: a commit is acknowledged when both have it on disk. */
export interface PostgresPair {
  /** Names both servers, the primary first. */
  url: string
  standbyUrl: string
  /** Ends the primary at once, with all its connections, as a machine that fails. */
  killPrimary(): Promise<void>
  /** Makes the standby accept changes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

export async function startPair(): Promise<PostgresPair> {
  const bin = join(await findBinaries(), 'bin')
  const runAs = await databaseUser()
  // Both servers run as the user that initdb needs: their data is gone after the run.
  const account = runAs && (await initdbUser(runAs))
  const folder = await mkdtemp(join(tmpdir(), 'svc-pair-'))
  await chmod(folder, 0o755)
  if (account) giveTree(folder, account)
  const [one, other] = [join(folder, 'one'), join(folder, 'other')]
  const [port, otherPort] = [await freePort(), await freePort()]
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', one, '-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    {
      encoding: 'utf8',
      ...account,
    },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  await appendFile(join(one, 'postgresql.conf'), configOf(port, "synchronous_standby_names = 'standby'"))
  await cp(one, other, { recursive: true, preserveTimestamps: true })
  const conninfo = `primary_conninfo = 'host=127.0.0.1 port=${port} user=${USER} application_name=standby'`
  await appendFile(
    join(other, 'postgresql.conf'),
    configOf(otherPort, `synchronous_standby_names = ''\n${conninfo}`),
  )
  await writeFile(join(other, 'standby.signal'), '')
  if (account) giveTree(folder, account)
  const start = (data: string) => {
    const child = spawn(join(bin, 'postgres'), ['-D', data], {
      stdio: ['ignore', 'ignore', 'ignore'],
      ...account,
    })
    process.once('exit', () => child.kill('SIGKILL'))
    return child
  }
  const [primary, standby] = [start(one), start(other)]
  const urlOf = (hosts: string, database: string) => `postgres://${USER}@${hosts}/${database}`
  const [host, otherHost] = [`127.0.0.1:${port}`, `127.0.0.1:${otherPort}`]
  await ask(urlOf(host, 'postgres'), 'select 1')
  await ask(urlOf(otherHost, 'postgres'), 'select 1')
  await ask(urlOf(host, 'postgres'), 'create database svc')
  return {
    url: urlOf(`${host},${otherHost}`, 'svc'),
    standbyUrl: urlOf(otherHost, 'svc'),
    killPrimary: () => killAll(primary),
    promote: async () => {
      await ask(urlOf(otherHost, 'postgres'), 'select pg_promote()')
    },
    stop: async () => {
      await killAll(primary)
      await killAll(standby)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const configOf = (port: number, more: string): string => `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
synchronous_commit = on
wal_keep_size = '256MB'
${more}
`

/** The postmaster alone would leave its children to end by themselves. */
async function killAll(postmaster: ChildProcess): Promise<void> {
  if (postmaster.exitCode !== null || postmaster.signalCode !== null) return
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster.pid)], { encoding: 'utf8' })
  const ended = once(postmaster, 'exit')
  postmaster.kill('SIGKILL')
  for (const pid of stdout.split('\n').map(Number).filter(Boolean))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  await ended
}

/** Asks until the server answers. */
async function ask(url: string, text: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query(text)
      await client.end()
      return
    } catch (error) {
      if (tries > 300) throw error
      await sleep(100)
    }
  }
}
