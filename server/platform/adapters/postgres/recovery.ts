import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { recoverySettings } from './archive.ts'
import { findBinaries } from './binaries.ts'
import { startPostmaster, stopPostmaster, UNFINISHED } from './cluster.ts'
import { findPlace, type Place } from './place.ts'
import { commandOf } from './pid.ts'
import { dropPasswords } from './roles.ts'
import { canUse, giveTree } from './user.ts'
import { asError } from '../../kernel/unknown.ts'

/** Reading a long archive takes as long as it takes. */
const PATIENCE_MS = 24 * 3_600_000

export interface Recovery {
  /** Absolute path of the data folder; it must have no database. */
  dataDir: string
  /** The folder of the archived log. */
  archive: string
  /** The moment that is restored; null for the end of the archive. */
  until: Date | null
  /** Puts the files of the base copy into this folder. */
  fill(directory: string): Promise<void>
}

/**
 * Makes the embedded database of a data folder from a base copy and the archived log, and stops it. Throws, and leaves no
 * database, if that fails. What an attempt left whose process was killed is replaced.
 */
export async function recoverEmbedded({ dataDir, archive, until, fill }: Recovery): Promise<void> {
  const place = await findPlace(dataDir, await findBinaries(), () => undefined)
  const { directory, runAs } = place
  if (runAs && !canUse(runAs, ['-x', archive]))
    throw new Error(
      `PostgreSQL runs as user ${runAs.uid}, which may not read ${archive}: give that user the folder, and let others pass (chmod o+x) the folders above it.`,
    )
  await access(archive, constants.R_OK)
  await removeUnfinished(place)
  // Throws if it exists: existing data is never overwritten.
  await mkdir(directory, { mode: 0o700 }).catch((cause: unknown) => {
    throw new Error(`${directory} exists: restore into an empty data folder (SVC_DATA_DIR)`, { cause })
  })
  const mark = join(directory, UNFINISHED)
  try {
    await writeFile(mark, String(process.pid))
    await fill(directory)
    await writeFile(join(directory, 'recovery.signal'), '')
    if (runAs) giveTree(directory, runAs)
    const settings = recoverySettings(archive, until)
    const ready = async () => (await stateOf(directory)) === 'ready'
    await startPostmaster(
      { ...place, settings },
      { ready, onSpawn: () => undefined, patienceMs: PATIENCE_MS },
    )
    await stopPostmaster(place)
    // A start that found the restore unfinished has made some.
    await dropPasswords(place)
    await rm(mark)
  } catch (error) {
    await stopPostmaster(place).catch(() => undefined)
    await rm(directory, { recursive: true, force: true })
    throw inPlainWords(asError(error))
  }
}

/** Removes the folder of an attempt that did not end. Throws while its process runs. */
async function removeUnfinished(place: Place): Promise<void> {
  const { directory } = place
  const pid = await readFile(join(directory, UNFINISHED), 'utf8').catch(() => null)
  if (pid === null) return
  // Another process may have its number meanwhile.
  if (/\brestore\b/.test(await commandOf(Number(pid))))
    throw new Error(`Process ${pid} restores into ${directory}: wait for its end, or stop it`)
  await stopPostmaster(place).catch(() => undefined)
  await rm(directory, { recursive: true, force: true })
}

/** PostgreSQL ends with an error where no transaction has the time that was asked for: also if nothing happened after it. */
function inPlainWords(error: Error): Error {
  if (!error.message.includes('recovery ended before configured recovery target was reached')) return error
  const [, last] = /last completed transaction was at log time (\S+ \S+)/.exec(error.message) ?? []
  return new Error(
    `the archive has no change at --until or after it${last ? `; its last one is of ${last}` : ''}. Without --until all of the archive is restored. If it lacks later changes, find its files that have them`,
    { cause: error },
  )
}

/** The state of a postmaster, which it writes to the last line of its pid file. */
async function stateOf(directory: string): Promise<string> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
  return text.trim().split('\n')[7]?.trim() ?? ''
}
