import { createHash } from 'node:crypto'
import { access, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { openMasterKey, sealMasterKey, type SealedKey } from './key.ts'

const MANIFEST = 'manifest.json'
const FORMAT = 1
/** A checkpoint, and the archive of the last segment. */
const STATEMENT_MS = 600_000
/** A cluster is thousands of small files: one buffer for all of them, and no streams, take a third of the processor time. */
const BUFFER_BYTES = 2 ** 20
/** PostgreSQL makes these anew on start, or they belong to the running server alone. */
const LEFT_OUT =
  /^(?:postmaster\.(?:pid|opts)|recovery\.signal|standby\.signal|log\/.*|pg_(?:wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\/.*|.*\/?pgsql_tmp.*|.*\/?pg_internal\.init|postgresql\.auto\.conf\.tmp)$/

interface CopiedFile {
  path: string
  bytes: number
  sha256: string
}

interface BaseManifest {
  format: typeof FORMAT
  /** Version of the service that made the copy. */
  service: string
  postgres: string
  startedAt: string
  endedAt: string
  /** The first file of the archive that the copy needs; older ones may be deleted with older copies. */
  firstSegment: string
  key: SealedKey
  files: CopiedFile[]
}

export interface BaseCounts {
  files: number
  bytes: number
  firstSegment: string
}

export interface BaseSource {
  /** For the superuser of the embedded server, which archives its log. */
  adminUrl: string
  /** Folder of its cluster. */
  directory: string
  masterKey: string
  passphrase: string
  version: string
  onProgress?: (files: number) => void
}

/**
 * Copies the files of the running embedded server into the new folder `to`. With the archived log the copy is one moment. If
 * that fails, there is no folder.
 */
export async function writeBaseCopy(to: string, source: BaseSource): Promise<BaseCounts> {
  await mkdir(to, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new Error(`${to} exists: name a new folder, or remove it`, { cause: error })
  })
  try {
    return await copyInto(to, source)
  } catch (error) {
    await rm(to, { recursive: true, force: true })
    throw error
  }
}

async function copyInto(to: string, source: BaseSource): Promise<BaseCounts> {
  const { adminUrl, directory, masterKey, passphrase, version: service, onProgress } = source
  const client = new pg.Client({ connectionString: adminUrl, statement_timeout: STATEMENT_MS })
  // A connection that breaks fails its statement, and reports again as an event.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await requireArchive(client)
    const { sealed, key } = await sealMasterKey(masterKey, passphrase)
    const startedAt = await timeOf(client)
    const { rows } = await client.query<{ segment: string; version: string }>(
      `select pg_walfile_name(pg_backup_start('svc backup', true)) as segment, current_setting('server_version') as version`,
    )
    const files = await copyTree(directory, join(to, 'data'), onProgress)
    files.push(...(await stopBackup(client, join(to, 'data'))))
    const { segment: firstSegment = '', version: postgres = '' } = rows[0] ?? {}
    const times = { startedAt, endedAt: await timeOf(client) }
    const manifest: BaseManifest = {
      format: FORMAT,
      service,
      postgres,
      ...times,
      firstSegment,
      key: sealed,
      files,
    }
    const text = JSON.stringify(manifest)
    // It comes last: a copy without it is not complete.
    await writeFile(join(to, MANIFEST), `${text}\n${key.sign(digestOf(text))}\n`, {
      mode: 0o600,
      flush: true,
    })
    return { files: files.length, bytes: sumOf(files), firstSegment }
  } finally {
    // Without pg_backup_stop the end of the connection ends the backup.
    await client.end()
  }
}

async function requireArchive(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ mode: string }>(`select current_setting('archive_mode') as mode`)
  if (rows[0]?.mode !== 'on')
    throw new Error(
      'PostgreSQL does not archive its log, without which the copy is worth nothing: set SVC_WAL_ARCHIVE for the service and this command, and restart the service',
    )
}

async function timeOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  return (rows[0]?.now ?? new Date()).toISOString()
}

/** Ends the backup when its log is archived, and writes the file that recovery starts from. */
async function stopBackup(client: pg.Client, data: string): Promise<CopiedFile[]> {
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(true)')
  const label = rows[0]?.labelfile ?? ''
  await writeFile(join(data, 'backup_label'), label, { mode: 0o600, flush: true })
  return [{ path: 'backup_label', bytes: Buffer.byteLength(label), sha256: digestOf(label) }]
}

async function copyTree(
  from: string,
  to: string,
  onProgress?: (files: number) => void,
): Promise<CopiedFile[]> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const files: CopiedFile[] = []
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  await mkdir(to, { mode: 0o700 })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1)
    if (LEFT_OUT.test(path)) continue
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 })
    else if (entry.isFile()) {
      await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 })
      const file = await copyFile(from, to, path, buffer)
      if (file) files.push(file)
      onProgress?.(files.length)
    } else if (entry.isSymbolicLink())
      throw new Error(`${join(from, path)} is a link: tablespaces and a pg_wal elsewhere are not supported`)
  }
  return files
}

/** Copies one file through `buffer`; null if it was dropped meanwhile. Pages that are written at the same time are in the log too. */
async function copyFile(from: string, to: string, path: string, buffer: Buffer): Promise<CopiedFile | null> {
  const source = await open(join(from, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!source) return null
  try {
    const target = await open(join(to, path), 'w', 0o600)
    try {
      const hash = createHash('sha256')
      let bytes = 0
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, buffer.length, null)
        if (!bytesRead) break
        const chunk = buffer.subarray(0, bytesRead)
        hash.update(chunk)
        await target.writeFile(chunk)
        bytes += bytesRead
      }
      await target.sync()
      return { path, bytes, sha256: hash.digest('hex') }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const sumOf = (files: readonly CopiedFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

export interface BaseCopy extends BaseManifest {
  folder: string
  masterKey: string
}

/** Whether `path` is a base copy, which is a folder; a logical backup is a file. Throws if it cannot be either. */
export async function isBaseCopy(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `there is no file or folder ${path}` : error.message, {
      cause: error,
    })
  })
  if (!found.isDirectory()) return false
  await access(join(path, MANIFEST)).catch((cause: unknown) => {
    throw new Error(`${path} is no complete base copy: it has no ${MANIFEST}`, { cause })
  })
  return true
}

/** Reads the list of a copy. Throws if it is changed, or of another passphrase. */
export async function openBaseCopy(folder: string, passphrase: string): Promise<BaseCopy> {
  const text = await readFile(join(folder, MANIFEST), 'utf8')
  const [json = '', signature = ''] = text.split('\n')
  const manifest = JSON.parse(json) as BaseManifest
  if (manifest.format !== FORMAT)
    throw new Error(
      `${folder} was made by another version of the service (${manifest.service}): use that one`,
    )
  const key = await openMasterKey(manifest.key, passphrase)
  if (key.sign(digestOf(json)) !== signature)
    throw new Error(`${join(folder, MANIFEST)} was changed or damaged`)
  return { ...manifest, folder, masterKey: key.masterKey }
}

/** Copies the files into the empty folder `to`, and compares each with the list. Throws when one differs. */
export async function fillFromBase(
  { folder, files }: BaseCopy,
  to: string,
  onProgress?: (share: number) => void,
): Promise<void> {
  const data = join(folder, 'data')
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory())
      await mkdir(join(to, join(entry.parentPath, entry.name).slice(data.length + 1)), {
        recursive: true,
        mode: 0o700,
      })
  for (const [index, { path, sha256 }] of files.entries()) {
    const copied = await copyFile(data, to, path, buffer)
    if (copied?.sha256 !== sha256) throw new Error(`${join(data, path)} is missing or damaged`)
    onProgress?.(index / files.length)
  }
}
