import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, constants, openSync } from 'node:fs'
import { chown, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from './place.ts'

/** Nothing of our environment (secrets) reaches PostgreSQL. */
const ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
const MAJOR = '18'
export const USER = 'svc'
/** Part of the socket's file name. */
export const PORT = 5432

/** Makes the cluster unless it is there; of several processes that try at once one wins. */
export async function ensureCluster(place: Place): Promise<void> {
  const version = await readFile(join(place.directory, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw new Error(`${place.directory} belongs to another user: start the service as that user, or set SVC_DATA_DIR to another folder.`, { cause: error })
    return null
  })
  if (version === null) return initialise(place)
  if (version.trim() !== MAJOR) throw new Error(`${place.directory} was made by PostgreSQL ${version.trim()}, this is ${MAJOR}: run "svc backup" with the version of the service that made it, then "svc restore" with this one and another SVC_DATA_DIR.`)
}

async function initialise({ directory, native, runAs }: Place): Promise<void> {
  const draft = `${directory}.${randomUUID()}`
  if (runAs) {
    await mkdir(draft, { mode: 0o700 })
    await chown(draft, runAs.uid, runAs.gid)
  }
  // C.UTF-8 of PostgreSQL itself: the same order on every machine, no operating-system locale needed.
  const args = ['-D', draft, '-U', USER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions']
  const { status, stdout, stderr } = spawnSync(join(native, 'bin/initdb'), args, { ...runAs, env: ENV, cwd: '/', encoding: 'utf8' })
  if (status !== 0) {
    await rm(draft, { recursive: true, force: true })
    throw new Error(`initdb failed:\n${tail(`${stdout}${stderr}`)}\nIs there space on the disk, and may the service write to ${directory}?`)
  }
  await rename(draft, directory).catch(() => rm(draft, { recursive: true }))
}

const SETTINGS = [
  "listen_addresses=''", `port=${PORT}`, 'unix_socket_permissions=0700', 'max_connections=200', 'shared_buffers=128MB', 'timezone=UTC', 'log_timezone=UTC',
  // A week of logs at most: one file a weekday, written anew when its day comes again.
  'logging_collector=on', 'log_directory=log', "log_filename='postgres-%a.log'", 'log_truncate_on_rotation=on', 'log_rotation_age=1d', 'log_rotation_size=0',
]

/**
 * Starts a postmaster in a process group of its own: Ctrl-C at our terminal must not end it before us. Returns when it is
 * ready, or when another one is in its way, which the caller then finds ready or tries again. Throws when it cannot start.
 * The result is the process id, or null if another postmaster serves the cluster.
 */
export async function startPostmaster(place: Place, ready: () => Promise<boolean>): Promise<number | null> {
  const { directory, native, runAs, socketDirectory } = place
  await disownReusedPid(join(directory, 'postmaster.pid'), directory)
  await disownReusedPid(join(socketDirectory, `.s.PGSQL.${PORT}.lock`), directory)
  const startLog = `${directory}.start.log`
  const output = openSync(startLog, 'w', 0o600)
  const settings = [...SETTINGS, `unix_socket_directories='${socketDirectory}'`].flatMap(setting => ['-c', setting.replaceAll("'", '')])
  const child = spawn(join(native, 'bin/postgres'), ['-D', directory, ...settings], { ...runAs, env: ENV, cwd: '/', detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  let ended: string | null = null
  child.once('error', error => { ended = error.message })
  child.once('exit', code => { ended ??= `it ended with ${code}` })
  child.unref()
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    if (await ready()) return child.pid !== undefined && child.pid === await pidOf(directory) ? child.pid : null
    if (ended !== null) {
      const words = tail(await readFile(startLog, 'utf8').catch(() => ''))
      if (IN_THE_WAY.test(words) || await isRunning(place)) return null
      throw new Error(`PostgreSQL does not start: ${String(ended)}\n${words}`)
    }
    await sleep(10)
  }
  throw new Error(`PostgreSQL was not ready in 60 s; its log is in ${join(directory, 'log')}`)
}

/** A postmaster that another process started or is stopping, or the children of a killed one, which have yet to notice its end. */
const IN_THE_WAY = /lock file .* already exists|pre-existing shared memory block/

/** Ends the postmaster: no new work, open transactions rolled back, everything on disk. */
export async function stopPostmaster({ directory, socketDirectory }: Place): Promise<void> {
  const pid = await pidOf(directory)
  if (!pid) return
  process.kill(pid, 'SIGINT')
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(10)) {
    const now = await pidOf(directory)
    if (now === pid) continue
    // A start that waited for this end may have its own postmaster already, and needs its socket.
    if (!now && socketDirectory !== directory) await rmdir(socketDirectory).catch(() => undefined)
    return
  }
  throw new Error(`PostgreSQL (process ${pid}) did not stop in 30 s`)
}

/** The postmaster of this cluster, by its own pid file; null when there is none. */
export async function pidOf(directory: string): Promise<number | null> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || null
}

/** Whether the process that the pid file names is a PostgreSQL: starting, ready or stopping. */
export async function isRunning({ directory }: Place): Promise<boolean> {
  const pid = await pidOf(directory)
  return pid !== null && isPostmaster(await commandOf(pid), directory)
}

/**
 * After a crash the pid in a left-over lock file may be that of a stranger (always so in a restarted container), for fear
 * of which PostgreSQL would not start. The pid of its own parent it takes for stale, and still refuses to start beside
 * surviving children of the dead postmaster: so that pid is written, and the file, which names their memory, is kept.
 */
async function disownReusedPid(file: string, directory: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const command = text && await commandOf(Number.parseInt(text, 10))
  if (!command || isPostmaster(command, directory)) return
  const handle = await open(file, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW)
  await handle.writeFile(text.replace(/^.*/, String(process.pid)))
  await handle.close()
}

const isPostmaster = (command: string, directory: string): boolean => command.replaceAll('\0', ' ').includes(`postgres -D ${directory} `)

/** The command of a process; empty when it is gone, or dead and not yet collected by its parent. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).stdout ?? ''
}

const tail = (text: string): string => text.trim().split('\n').slice(-8).join('\n')
