import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, lstatSync, statSync } from 'node:fs'
import {
  chmod,
  copyFile,
  cp,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { ensureDataDir } from '../data-dir.ts'
import { isRunning } from './pid.ts'
import { canUse, databaseUser, giveTree, isSharedUser, type RunAs } from './user.ts'

/** Where a cluster lives and who runs it. */
export interface Place {
  runAs: RunAs | null
  directory: string
  socketDirectory: string
  native: string
  /** Settings of the server beside those of every cluster, as name=value. */
  settings: readonly string[]
}

type Log = (message: string) => void

/** The longest path of a Unix socket is 107 bytes, of which PostgreSQL adds up to 20. */
const LONGEST_SOCKET_DIRECTORY = 85
/** For root, when the database's user cannot enter the folder that is asked for. */
const SHARED = '/var/lib/svc'

/**
 * Finds a place for the cluster of `dataDir`: `<dataDir>/postgres`. For root with a folder that the database's user cannot
 * enter, the data goes to a folder under /var/lib/svc: `dataDir` itself becomes a link to it, or, where `dataDir` holds
 * something already, `postgres` and `master.key` in it. An existing cluster or link decides, so that changed modes never
 * lead to another, empty database.
 */
export async function findPlace(dataDir: string, native: string, log: Log): Promise<Place> {
  const lent = await databaseUser()
  if (lent && !(await exists(join(dataDir, 'postgres'))) && !(await canEnter(lent, await follow(dataDir))))
    await moveElsewhere(dataDir)
  await ensureDataDir(dataDir)
  const base = await follow(dataDir)
  const directory = await resolveEntry(join(base, 'postgres'))
  const home = dirname(directory)
  if (home !== base) await keepKeyBeside(directory, base)
  if (home !== dataDir) log(`The data is in ${home}`)
  const runAs = lent && (await userOf(directory, lent, log))
  if (runAs && !canUse(runAs, ['-x', home])) {
    throw new Error(
      `PostgreSQL runs as user ${runAs.uid}, which cannot enter ${home}: let others pass (chmod o+x) each folder of that path.`,
    )
  }
  return {
    runAs,
    directory,
    socketDirectory: await socketDirectory(directory, runAs),
    native: await readableBinaries(native, runAs),
    settings: [],
  }
}

/** Whether the data folder has a cluster, or a link to one. A path that cannot be used counts: its use says why. */
export const hasCluster = (dataDir: string): Promise<boolean> =>
  lstat(join(dataDir, 'postgres')).then(
    () => true,
    ({ code = '' }: NodeJS.ErrnoException) => code !== 'ENOENT',
  )

/** The owner of an existing cluster. A shared account loses it to the database's own user, once PostgreSQL does not run. */
async function userOf(directory: string, own: RunAs, log: Log): Promise<RunAs> {
  const found = await lstat(directory).catch(() => null)
  if (!found || found.uid === 0) return own
  const owner = { uid: found.uid, gid: found.gid }
  if (!(await isSharedUser(owner.uid)) || (await isRunning({ directory }))) return owner
  log(`The data of PostgreSQL is given to user ${own.uid}: other services may run as user ${owner.uid}`)
  giveTree(directory, own)
  return own
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Where a link leads; a path that is no link stays as it is. */
const follow = (path: string): Promise<string> =>
  readlink(path).then(
    target => resolve(dirname(path), target),
    () => path,
  )

/** Whether the user may pass all folders of a path that need not exist yet. */
async function canEnter(user: RunAs, folder: string): Promise<boolean> {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  // Behind a file there is no folder to enter: who makes it says so.
  return !statSync(existing).isDirectory() || canUse(user, ['-x', existing])
}

/** Others must pass through it, whatever the umask, and only root may write. */
async function openShared(): Promise<void> {
  await mkdir(SHARED, { recursive: true })
  const found = await lstat(SHARED)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new Error(
      `${SHARED} must be a folder that belongs to root and that nobody else can write: correct or remove it.`,
    )
  await chmod(SHARED, 0o755)
}

async function moveElsewhere(dataDir: string): Promise<void> {
  await openShared()
  const home = await mkdtemp(join(SHARED, 'data-'))
  await chmod(home, 0o755)
  await mkdir(dirname(dataDir), { recursive: true })
  const empty = (await readdir(dataDir).catch(() => [])).length === 0
  if (empty && !lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink())
    await rmdir(dataDir).catch(() => undefined)
  await (empty ? symlink(home, dataDir) : symlink(join(home, 'postgres'), join(dataDir, 'postgres'))).catch(
    async (error: NodeJS.ErrnoException) => {
      await rmdir(home)
      // Another process made the link at the same moment: its place is as good.
      if (error.code !== 'EEXIST') throw error
    },
  )
}

async function resolveEntry(entry: string): Promise<string> {
  const directory = await follow(entry)
  if (existsSync(dirname(directory))) return directory
  throw new Error(
    `${entry} is a link to ${directory}, which is gone: restore it, or delete the link to start with an empty database.`,
  )
}

/** The master key belongs to the data: a back-up of the data's folder must hold both. */
async function keepKeyBeside(directory: string, dataDir: string): Promise<void> {
  const from = join(dataDir, 'master.key')
  const to = join(dirname(directory), 'master.key')
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile() || lstatSync(to, { throwIfNoEntry: false }))
    return
  const [copy, link] = [`${to}.${randomUUID()}`, `${from}.${randomUUID()}`]
  await copyFile(from, copy)
  await chmod(copy, 0o600)
  await rename(copy, to)
  await symlink(to, link)
  await rename(link, from)
}

/** The binaries where the user can read them: a copy, if the folder that npm made is closed to it. */
export async function readableBinaries(native: string, runAs: RunAs | null): Promise<string> {
  if (!runAs || spawnSync(join(native, 'bin/postgres'), ['--version'], { ...runAs, cwd: '/' }).status === 0)
    return native
  await openShared()
  const version = createHash('sha256')
    .update(await readFile(join(native, 'bin/postgres')))
    .digest('hex')
    .slice(0, 16)
  const copy = join(SHARED, `bin-${version}`)
  if (!canUse(runAs, ['-x', join(copy, 'bin/postgres')])) {
    const draft = `${copy}.${process.pid}`
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'a+rX', draft])
    await rename(draft, copy).catch(() => rm(draft, { recursive: true }))
  }
  return copy
}

/**
 * The cluster's own folder, which only its owner may enter; where that path is too long for a socket, a short private one.
 * The server and the commands must agree on it, whatever TMPDIR either has.
 */
async function socketDirectory(directory: string, runAs: RunAs | null): Promise<string> {
  if (Buffer.byteLength(directory) <= LONGEST_SOCKET_DIRECTORY) return directory
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  if (!runAs)
    return privateFolder(`/tmp/svc-pg-${key}`, { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 })
  // Not in /tmp: anybody could have made a link of that name there.
  await openShared()
  return privateFolder(join(SHARED, `socket-${key}`), runAs)
}

async function privateFolder(folder: string, { uid, gid }: RunAs): Promise<string> {
  const isNew = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  if (isNew) await lchown(folder, uid, gid)
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new Error(
      `${folder} is not a private folder of user ${uid}: remove it, or set SVC_DATA_DIR to a shorter path.`,
    )
  return folder
}
