import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test'

const INI = join(import.meta.dirname, '../../deploy/pgbouncer.ini')
/** The first version that prepares statements in transaction mode. */
const MIN_VERSION = [1, 21] as const
const HOW_TO_GET_IT =
  'Install it (apt-get install pgbouncer on Debian 13 and Ubuntu 24.04 or later; apt.postgresql.org or https://www.pgbouncer.org/downloads/ elsewhere), or set SVC_PGBOUNCER to its path.'

/** Why PgBouncer cannot be used here, with what to do; null if it can. */
export function missingPgbouncer(): string | null {
  const { stdout, error } = spawnSync(binary(), ['--version'], { encoding: 'utf8' })
  if (error) return `pgbouncer is not installed (${binary()}: ${error.message}). ${HOW_TO_GET_IT}`
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  if (Number(major) > MIN_VERSION[0] || Number(minor) >= MIN_VERSION[1]) return null
  return `${binary()} is ${stdout.split('\n')[0]}, and 1.21 or later is needed: earlier ones do not prepare statements in transaction mode. ${HOW_TO_GET_IT}`
}

const binary = (): string => process.env.SVC_PGBOUNCER ?? 'pgbouncer'

export interface Pgbouncer {
  /** Where it listens, host:port. */
  address: string
  /** What it counted so far, for each database: transactions, statements, prepared ones. */
  stop(): Promise<void>
}

/** PgBouncer with deploy/pgbouncer.ini in front of every database of the server at `serverUrl`, for the role and password `user`. */
export async function startPgbouncer(serverUrl: string, user: string): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'))
  const { hostname, port, searchParams } = new URL(serverUrl)
  const host = searchParams.get('host') ?? hostname
  const listenPort = await freePort()
  const ini = (await readFile(INI, 'utf8'))
    .replace(/^svc = .* dbname=svc /m, `* = host=${host} port=${port || '5432'} `)
    .replace(/^listen_port = .*$/m, `listen_port = ${listenPort}`)
    .replace(/^auth_file = .*$/m, `auth_file = ${join(folder, 'userlist.txt')}`)
  await writeFile(join(folder, 'userlist.txt'), `"${user}" "${user}"\n`)
  await writeFile(join(folder, 'pgbouncer.ini'), ini)
  const account = await accountOf(host)
  await chmod(folder, 0o755)
  if (account) await chown(join(folder, 'userlist.txt'), account.uid, account.gid)
  const child = spawn(binary(), ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...account,
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await untilListening(listenPort, child)
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  return { address: `127.0.0.1:${listenPort}`, stop }
}

/** PgBouncer does not run as root: as the user whose socket it connects to, or as a user without rights. */
async function accountOf(host: string): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null
  if (!host.startsWith('/')) return { uid: 65_534, gid: 65_534 }
  const { uid, gid } = await stat(host)
  return { uid, gid }
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await sleep(20)
  }
  throw new Error(`pgbouncer does not listen on port ${port}`)
}
