import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { secretsOf } from '../../kernel/secrets.ts'
import {
  endOfRows,
  firstLines,
  line,
  withEnd,
  type BackupHeader,
  type Sequence,
  type Table,
} from './format.ts'
import { pendingJobs, queuesOf } from './jobs.ts'
import { sealMasterKey } from './key.ts'
import { rowsOf, withSession } from './session.ts'
import * as sql from './sql.ts'

export interface BackupOptions {
  /** Connection string of the database. */
  url: string
  file: string
  /** 64 hex digits. */
  masterKey: string
  passphrase: string
  /** Version of the service. */
  version: string
  /** About how much is done, between 0 and 1. */
  onProgress?: (share: number) => void
}

export interface BackupCounts {
  tables: number
  rows: number
  jobs: number
  bytes: number
}

const ATTEMPTS = 5

/**
 * Writes a consistent copy of the database while the service runs. The file appears under its name when it is complete and on
 * disk, readable by its owner alone; a file of that name is replaced. Throws when the master key is not that of the database.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupCounts> {
  const counts = { tables: 0, rows: 0, jobs: 0, bytes: 0 }
  await requireFile(options.file)
  await withSession(options.url, async client => {
    const tables = await openSnapshot(client)
    await requireFit(client, options.masterKey)
    const { sealed, key } = await sealMasterKey(options.masterKey, options.passphrase)
    const header = await headerOf(client, { service: options.version, masterKey: sealed })
    const meter = new Meter(await rowsOf(client, sql.tableSizes()), options.onProgress)
    await writeWhole(options.file, withEnd(contentOf(client, { header, tables, counts, meter }), key))
    await client.query('commit')
  })
  return { ...counts, bytes: (await stat(options.file)).size }
}

/**
 * Begins the transaction that sees one moment of the database, with locks that keep a migration from changing the tables.
 * The locks come first; a table that was added or changed before they were held begins it again.
 */
async function openSnapshot(client: pg.Client): Promise<Table[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const expected = await rowsOf(client, sql.modulesTables())
    await client.query(sql.beginSnapshot)
    await client.query(sql.lockTables(expected))
    const tables = await rowsOf(client, sql.modulesTables())
    if (JSON.stringify(tables) === JSON.stringify(expected)) return tables
    await client.query('rollback')
  }
  throw new Error(
    'the tables change all the time: is the service being upgraded? Try again when it has started.',
  )
}

async function requireFit(client: pg.Client, masterKey: string): Promise<void> {
  const [secret] = await rowsOf(client, sql.oldestSecret())
  try {
    if (secret) secretsOf(masterKey).openStored(secret)
  } catch (cause) {
    throw new Error(
      'The master key does not match this database. Set SVC_MASTER_KEY, or SVC_DATA_DIR, as the service has it.',
      { cause },
    )
  }
}

async function headerOf(
  client: pg.Client,
  known: Pick<BackupHeader, 'service' | 'masterKey'>,
): Promise<BackupHeader> {
  const [server] = await rowsOf(client, sql.versionAndTime())
  return {
    createdAt: server?.now.toISOString() ?? '',
    postgres: server?.version ?? '',
    ...known,
    migrations: await rowsOf(client, sql.migrationsOf()),
    queues: await queuesOf(client),
  }
}

interface Content {
  header: BackupHeader
  tables: Table[]
  counts: BackupCounts
  meter: Meter
}

async function* contentOf(
  client: pg.Client,
  { header, tables, counts, meter }: Content,
): AsyncGenerator<string | Buffer> {
  const copies: { rowCount: number }[] = []
  yield firstLines(header)
  for (const table of tables) {
    yield line('table', table)
    const rows = client.query(copyTo(sql.copyOut(table)))
    for await (const part of rows as AsyncIterable<Buffer>) {
      meter.add(table, part.length)
      yield part
    }
    meter.finish(table)
    yield endOfRows
    copies.push(rows)
  }
  yield line('jobs')
  for await (const job of pendingJobs(client)) {
    yield `${JSON.stringify(job)}\n`
    counts.jobs++
  }
  yield endOfRows
  yield line('sequences', await sequencesOf(client))
  // Known when the server has completed each command, which is after its last row.
  counts.tables = copies.length
  counts.rows = copies.reduce((sum, { rowCount }) => sum + rowCount, 0)
}

/** Measures a copy by the sizes of the tables on disk, which are about those of their rows as text. */
class Meter {
  readonly #sizes: ReadonlyMap<string, number>
  readonly #total: number
  readonly #onProgress: (share: number) => void
  #finished = 0
  #current = 0

  constructor(
    sizes: readonly { name: string; bytes: number }[],
    onProgress: (share: number) => void = () => undefined,
  ) {
    this.#sizes = new Map(sizes.map(({ name, bytes }) => [name, bytes]))
    this.#total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#onProgress = onProgress
  }

  add(table: Table, bytes: number): void {
    this.#current += bytes
    this.#report(Math.min(this.#current, this.#sizes.get(table.name) ?? 0))
  }

  finish({ name }: Table): void {
    this.#finished += this.#sizes.get(name) ?? 0
    this.#current = 0
    this.#report(0)
  }

  #report(current: number): void {
    this.#onProgress(this.#total ? (this.#finished + current) / this.#total : 0)
  }
}

async function sequencesOf(client: pg.Client): Promise<Sequence[]> {
  const sequences: Sequence[] = []
  for (const { name } of await rowsOf(client, sql.modulesSequences())) {
    const { rows } = await client.query<Omit<Sequence, 'name'>>(sql.sequenceValue(name))
    for (const value of rows) sequences.push({ name, ...value })
  }
  return sequences
}

/** Before the backup is written, which may take long. */
async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found?.isDirectory()) throw new Error(`${file} is a folder: name a file in it`)
  if (!(await stat(dirname(file)).catch(() => null)))
    throw new Error(`there is no folder ${dirname(file)} for the backup: make it, or name another file`)
}

/** The file is there whole and on disk, or not at all. */
async function writeWhole(file: string, content: AsyncIterable<Buffer>): Promise<void> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  try {
    // flush: on disk before it has its name.
    await pipeline(
      Readable.from(content, { objectMode: false }),
      createGzip(),
      createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
    )
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  const folder = await open(dirname(file))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
