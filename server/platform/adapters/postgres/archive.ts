import { access, chown, constants, mkdir, readdir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { canUse, type RunAs } from './user.ts'

/** At most this much of the write-ahead log is not in the archive yet. */
const ARCHIVE_SECONDS = 60
/** Paths that a shell and PostgreSQL take as they are. */
const PLAIN_PATH = /^[\w./+-]+$/

/**
 * Makes the folder that the write-ahead log is archived to, for the user of the database alone. Throws when that user
 * could not write there: the log would fill the disk.
 */
export async function openArchive(folder: string, runAs: RunAs | null): Promise<void> {
  requirePlainPath(folder)
  const isNew = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isNew && runAs) await chown(folder, runAs.uid, runAs.gid)
  if (runAs && !canUse(runAs, ['-w', folder]))
    throw new Error(
      `PostgreSQL runs as user ${runAs.uid}, which may not write to SVC_WAL_ARCHIVE (${folder}): give that user the folder, and let others pass (chmod o+x) the folders above it.`,
    )
  if (!runAs)
    await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
      throw new Error(
        `The service may not write to SVC_WAL_ARCHIVE (${folder}): give its user the folder; under systemd name it in ReadWritePaths.`,
        { cause },
      )
    })
}

const SEGMENT = /^[0-9A-F]{24}\.gz$/
/** Segments of 16 MB in one log file of 4 GB. */
const SEGMENTS = 256

/** The place of a segment in its timeline, by its name: timeline, log file and segment, eight digits each. */
const numberOf = (name: string): number =>
  Number.parseInt(name.slice(8, 16), 16) * SEGMENTS + Number.parseInt(name.slice(16, 24), 16)

/** Throws if the archive lacks the first file that a base copy needs, as that of another service does: nothing could be restored. */
export async function requireFirstSegment(folder: string, firstSegment: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new Error(`there is no folder ${folder}: --archive names where SVC_WAL_ARCHIVE was`, {
      cause: error,
    })
  })
  if (!names.includes(`${firstSegment}.gz`))
    throw new Error(
      `${folder} lacks ${firstSegment}.gz, which the copy needs: name the archive of the service that the copy is from (--archive)`,
    )
}

/**
 * Throws if a file between the first that a base copy needs and the last of the archive is missing: PostgreSQL would take the
 * gap for the end, and restore an earlier state without an error.
 */
export async function requireWholeArchive(folder: string, firstSegment: string): Promise<void> {
  const timeline = firstSegment.slice(0, 8)
  const first = numberOf(firstSegment)
  const numbers = new Set<number>()
  let last = first
  for (const name of await readdir(folder)) {
    if (!SEGMENT.test(name) || !name.startsWith(timeline)) continue
    const number = numberOf(name)
    numbers.add(number)
    last = Math.max(last, number)
  }
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  for (let number = first; number < last; number++)
    if (!numbers.has(number))
      throw new Error(
        `${folder} lacks ${timeline}${hex(Math.floor(number / SEGMENTS))}${hex(number % SEGMENTS)}.gz, and has later files: what they hold cannot be restored. Find that file, or restore the state before it with --until.`,
      )
}

function requirePlainPath(folder: string): void {
  if (!isAbsolute(folder) || !PLAIN_PATH.test(folder))
    throw new Error(
      `SVC_WAL_ARCHIVE must be an absolute path of letters, digits and . _ / + - only, not "${folder}"`,
    )
}

/**
 * Each segment of the log becomes a compressed file when it is full or a minute old. A file that is there with other
 * content belongs to another database: the segment is not archived, PostgreSQL logs the failure and tries again.
 */
export function archiveSettings(folder: string): string[] {
  const file = `${folder}/%f.gz`
  // Its name must be on disk too: PostgreSQL deletes the segment then, perhaps from another disk.
  const write = `gzip -1 -c %p > ${file}.tmp && sync ${file}.tmp && mv ${file}.tmp ${file} && sync ${folder}`
  return [
    'archive_mode=on',
    `archive_timeout=${ARCHIVE_SECONDS}`,
    `archive_command=if test -e ${file}; then gzip -cd ${file} | cmp -s - %p; else ${write}; fi`,
  ]
}

/** Settings of a start that reads the archive up to `until`, or to its end, and then goes on by itself. */
export function recoverySettings(folder: string, until: Date | null): string[] {
  requirePlainPath(folder)
  const file = `${folder}/%f.gz`
  return [
    // A status above 125 ends the recovery with an error; any other of a damaged file would count as the end of the archive.
    `restore_command=test -f ${file} || exit 1; gzip -cd ${file} > %p || exit 126`,
    'recovery_target_action=promote',
    // PostgreSQL reads it before it knows the names of zones, such as Z.
    ...(until ? [`recovery_target_time=${until.toISOString().replace('T', ' ').replace('Z', '+00')}`] : []),
    // Ready means recovered: nothing connects before.
    'hot_standby=off',
    'archive_mode=off',
    'logging_collector=off',
  ]
}
