import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, readlink, rename, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'

/** Who runs PostgreSQL: root may not, so it lends it an unprivileged user. Null: the user that we are. */
export interface RunAs { uid: number; gid: number }

/** Where a cluster lives and who runs it. */
export interface Place { runAs: RunAs | null; directory: string; socketDirectory: string; native: string }

/** The longest path of a Unix socket is 107 bytes, of which PostgreSQL adds up to 20. */
const LONGEST_SOCKET_DIRECTORY = 85
/** For root, when the unprivileged user cannot enter the checkout. */
const SHARED = '/var/lib/svc'

/**
 * Finds a place for the cluster of `dataDir`: `<dataDir>/postgres`, or, for root with a folder that the unprivileged
 * user cannot enter, a folder under /var/lib/svc that a link at that path names. An existing cluster or link decides,
 * so that changed modes never lead to another, empty database, and deleting `dataDir` starts afresh in either case.
 */
export async function findPlace(dataDir: string, native: string, log: (message: string) => void): Promise<Place> {
  const runAs = process.getuid?.() === 0 ? await lendUser(dataDir) : null
  await mkdir(dataDir, { recursive: true })
  const entry = join(dataDir, 'postgres')
  if (runAs && !lstatSync(entry, { throwIfNoEntry: false }) && !canUse(runAs, ['-x', dataDir])) await linkElsewhere(entry)
  const directory = await resolveEntry(entry)
  if (directory !== entry) log(`The data of PostgreSQL is in ${directory}`)
  if (runAs && !canUse(runAs, ['-x', dirname(directory)])) {
    throw new Error(`PostgreSQL runs as user ${runAs.uid}, which cannot enter ${dirname(directory)}: let others pass (chmod o+x) each folder of that path.`)
  }
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  return { runAs, directory, socketDirectory: await socketDirectory(directory, key, runAs), native: await readableBinaries(native, runAs) }
}

/** Others must pass through it, whatever the umask. */
async function openShared(): Promise<void> {
  await mkdir(SHARED, { recursive: true })
  await chmod(SHARED, 0o755)
}

async function linkElsewhere(entry: string): Promise<void> {
  await openShared()
  const home = await mkdtemp(join(SHARED, 'data-'))
  await chmod(home, 0o755)
  await symlink(join(home, 'postgres'), entry).catch(async (error: NodeJS.ErrnoException) => {
    await rmdir(home)
    // Another process made the link at the same moment: its place is as good.
    if (error.code !== 'EEXIST') throw error
  })
}

async function resolveEntry(entry: string): Promise<string> {
  const directory = await readlink(entry).catch(() => entry)
  if (existsSync(dirname(directory))) return directory
  throw new Error(`${entry} is a link to ${directory}, which is gone: restore it, or delete the link to start with an empty database.`)
}

/** The owner of an existing cluster, else `postgres`, else `nobody`. */
async function lendUser(dataDir: string): Promise<RunAs> {
  const owner = await stat(join(dataDir, 'postgres')).catch(() => null)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map(line => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return user ? { uid: Number(user[2]), gid: Number(user[3]) } : { uid: 65_534, gid: 65_534 }
}

const canUse = ({ uid, gid }: RunAs, test: string[]): boolean => spawnSync('test', test, { uid, gid, cwd: '/' }).status === 0

async function readableBinaries(native: string, runAs: RunAs | null): Promise<string> {
  if (!runAs || spawnSync(join(native, 'bin/postgres'), ['--version'], { ...runAs, cwd: '/' }).status === 0) return native
  const version = createHash('sha256').update(await readFile(join(native, 'bin/postgres'))).digest('hex').slice(0, 16)
  const copy = join(SHARED, `bin-${version}`)
  if (!canUse(runAs, ['-x', join(copy, 'bin/postgres')])) {
    const draft = `${copy}.${process.pid}`
    await openShared()
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'a+rX', draft])
    await rename(draft, copy).catch(() => rm(draft, { recursive: true }))
  }
  return copy
}

/** The cluster's own folder, which nobody else may enter; a short private one where that path is too long for a socket. */
async function socketDirectory(directory: string, key: string, runAs: RunAs | null): Promise<string> {
  if (Buffer.byteLength(directory) <= LONGEST_SOCKET_DIRECTORY) return directory
  // Not os.tmpdir(): the server and the command line must agree on it, whatever TMPDIR either has.
  const short = `/tmp/svc-pg-${key}`
  const uid = runAs?.uid ?? process.getuid?.() ?? 0
  await mkdir(short, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => { if (error.code !== 'EEXIST') throw error })
  if (process.getuid?.() === 0) await chown(short, uid, runAs?.gid ?? 0)
  const found = await stat(short)
  if (found.uid !== uid || (found.mode & 0o077) !== 0) throw new Error(`${short} belongs to someone else: remove it, or set SVC_DATA_DIR to a shorter path.`)
  return short
}
