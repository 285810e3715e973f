import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '../commands/command.ts'

/** One stored credential: a key, or the session of a person. */
export interface Profile {
  url: string
  userId?: string | undefined
  /** Email address or username. */
  account?: string | undefined
  apiKey?: string | undefined
  session?: { accessToken: string; refreshToken: string; expiresAt: number } | undefined
}

const OWNER_ONLY = 0o600
const LOCK_MS = 30_000

/** The file with all profiles, in the user's folder for configuration. */
export function profileFile(): string {
  const { SVC_CONFIG_DIR, XDG_CONFIG_HOME, APPDATA } = process.env
  return join(
    SVC_CONFIG_DIR || join(XDG_CONFIG_HOME || APPDATA || join(homedir(), '.config'), 'svc'),
    'credentials.json',
  )
}

async function readAll(): Promise<Record<string, Profile>> {
  try {
    return JSON.parse(await readFile(profileFile(), 'utf8')) as Record<string, Profile>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    if (error instanceof SyntaxError)
      throw new ConfigError(
        `${profileFile()} is not valid JSON (${error.message}): correct it, or remove it and sign in again`,
      )
    throw error
  }
}

export const readProfile = async (name: string): Promise<Profile | undefined> => (await readAll())[name]

/** Stores a profile, or removes it, while no other process changes the file. */
export const storeProfile = (name: string, profile: Profile | undefined): Promise<void> =>
  withLock(() => writeProfile(name, profile))

/** Within `withLock`: in a new file that replaces the old one, for its owner alone. */
export async function writeProfile(name: string, profile: Profile | undefined): Promise<void> {
  const { [name]: _, ...others } = await readAll()
  const file = profileFile()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(profile ? { ...others, [name]: profile } : others, null, 2)}\n`, {
    mode: OWNER_ONLY,
  })
  await rename(next, file)
}

/** Runs `work` while no other process of this user does: a refresh token used twice ends its session. */
export async function withLock<T>(work: () => Promise<T>): Promise<T> {
  const lock = `${profileFile()}.lock`
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
  for (;;) {
    try {
      await writeFile(lock, `${hostname()} ${process.pid}`, { flag: 'wx', mode: OWNER_ONLY })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (await isLeft(lock)) await rm(lock, { force: true })
      else await sleep(50)
    }
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** The process that made the lock has ended. One of another machine is not seen: its lock counts for half a minute. */
async function isLeft(lock: string): Promise<boolean> {
  try {
    const age = Date.now() - (await stat(lock)).mtimeMs
    const [host, pid] = (await readFile(lock, 'utf8')).split(' ')
    return age > LOCK_MS || (host === hostname() && !isRunning(Number(pid)))
  } catch {
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
