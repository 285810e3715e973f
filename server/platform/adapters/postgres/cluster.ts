import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { disownReusedPid, isRunning, pidOf } from './pid.ts'
import { exists, type Place } from './place.ts'
import { type Passwords, PORT, requirePasswords, SUPERUSER } from './roles.ts'
import { giveTree, initdbUser } from './user.ts'

/** Nothing of our environment (secrets) reaches PostgreSQL. */
const ENV = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
const MAJOR = '18'

/** In the data folder of PostgreSQL while a restore fills it: the number of its process. */
export const UNFINISHED = 'restore.unfinished'

/** Makes the cluster unless it is there; of several processes that try at once one wins. */
export async function ensureCluster(
  place: Place,
  passwords: Passwords,
  log: (message: string) => void,
): Promise<void> {
  const { directory } = place
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES')
        throw new Error(
          `User ${process.getuid?.()} may not read the data of PostgreSQL in ${directory}: start the service as its owner, or set SVC_DATA_DIR to another folder.`,
          { cause: error },
        )
      return null
    },
  )
  if (await exists(join(directory, UNFINISHED)))
    throw new Error(
      `${directory} holds a restore that has not ended: run "svc restore" again, or remove that folder.`,
    )
  if (version === null) {
    log('Making the data folder of PostgreSQL ...')
    return initialize(place, passwords)
  }
  if (version.trim() !== MAJOR)
    throw new Error(
      `${directory} was made by PostgreSQL ${version.trim()}, this is ${MAJOR}: run "svc backup" with the version of the service that made it, then "svc restore" with this one and another SVC_DATA_DIR.`,
    )
}

async function initialize(place: Place, passwords: Passwords): Promise<void> {
  const { directory, native, runAs } = place
  const user = runAs && (await initdbUser(runAs))
  // Only the group of the database's user may pass: see initdbUser.
  const box = `${directory}.${randomUUID()}`
  const [data, passwordFile] = [join(box, 'data'), join(box, 'password')]
  await mkdir(box, { mode: 0o700 })
  try {
    await mkdir(data, { mode: 0o700 })
    await writeFile(passwordFile, passwords[SUPERUSER], { mode: 0o600 })
    if (user) {
      for (const path of [data, passwordFile]) await chown(path, user.uid, user.gid)
      await chown(box, 0, user.gid)
      await chmod(box, 0o710)
    }
    // C.UTF-8 of PostgreSQL itself: the same order on every machine, no operating-system locale needed.
    const args = [
      '-D',
      data,
      '-U',
      SUPERUSER,
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ]
    const { status, stdout, stderr } = spawnSync(join(native, 'bin/initdb'), args, {
      ...user,
      env: ENV,
      cwd: '/',
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(initdbFailure(`${stdout}${stderr}`, directory))
    if (runAs) giveTree(data, runAs)
    await requirePasswords({ ...place, directory: data })
    // Another process may have been first: its cluster has the same passwords.
    await rename(data, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(box, { recursive: true, force: true })
  }
}

function initdbFailure(output: string, directory: string): string {
  if (output.includes('could not look up effective user ID'))
    return `PostgreSQL needs an account for user ${process.getuid?.()} in /etc/passwd to make its data folder: add one, start as another user, or set DATABASE_URL to a PostgreSQL server.`
  return `initdb failed:\n${tail(output)}\nIs there space on the disk, and may the service write to ${directory}?`
}

const SETTINGS = [
  "listen_addresses=''",
  `port=${PORT}`,
  'unix_socket_permissions=0700',
  'max_connections=200',
  'shared_buffers=128MB',
  'timezone=UTC',
  'log_timezone=UTC',
  // A week of logs at most: one file a weekday, written anew when its day comes again.
  'logging_collector=on',
  'log_directory=log',
  "log_filename='postgres-%a.log'",
  'log_truncate_on_rotation=on',
  'log_rotation_age=1d',
  'log_rotation_size=0',
]

/** What the start of a postmaster asks and reports. */
export interface StartCallbacks {
  ready(): Promise<boolean>
  /** The process is there; it is not ready yet. */
  onSpawn(): void
  /** How long a start may take. */
  patienceMs?: number
}

/**
 * Starts a postmaster in a process group of its own: Ctrl-C at our terminal must not end it before us. Returns when it is
 * ready, or when another one is in its way, which the caller then finds ready or tries again. Throws when it cannot start.
 * The result is the process id, or null if another postmaster serves the cluster.
 */
export async function startPostmaster(
  place: Place,
  { ready, onSpawn, patienceMs = 60_000 }: StartCallbacks,
): Promise<number | null> {
  const { directory, native, runAs, socketDirectory } = place
  await disownReusedPid(join(directory, 'postmaster.pid'), directory)
  await disownReusedPid(join(socketDirectory, `.s.PGSQL.${PORT}.lock`), directory)
  const startLog = `${directory}.start.log`
  const output = openSync(startLog, 'w', 0o600)
  const base = SETTINGS.map(each => each.replaceAll("'", ''))
  // A list of PostgreSQL: in double quotes a comma, a space or an apostrophe is part of the path.
  const sockets = `unix_socket_directories="${socketDirectory.replaceAll('"', '""')}"`
  const settings = [...base, sockets, ...place.settings].flatMap(setting => ['-c', setting])
  const child = spawn(join(native, 'bin/postgres'), ['-D', directory, ...settings], {
    ...runAs,
    env: ENV,
    cwd: '/',
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  let ended: string | null = null
  child.once('error', error => {
    ended = error.message
  })
  child.once('exit', code => {
    ended ??= `it ended with ${code}`
  })
  child.unref()
  onSpawn()
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    if (await ready())
      return child.pid !== undefined && child.pid === (await pidOf(directory)) ? child.pid : null
    if (ended !== null) {
      const words = tail(await readFile(startLog, 'utf8').catch(() => ''))
      if (IN_THE_WAY.test(words) || (await isRunning(place))) return null
      const elsewhere = words.includes('redirecting log output')
        ? `\nWhat it wrote after that is in ${join(directory, 'log')}. Is there space on the disk?`
        : ''
      throw new Error(`PostgreSQL does not start: ${String(ended)}\n${words}${elsewhere}`)
    }
    await sleep(10)
  }
  throw new Error(
    `PostgreSQL was not ready in ${patienceMs / 1000} s; its log is in ${join(directory, 'log')}`,
  )
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

const tail = (text: string): string => text.trim().split('\n').slice(-8).join('\n')
