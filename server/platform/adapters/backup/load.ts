import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import {
  lockMigrations,
  migrateEmpty,
  selectMigrations,
  type Migration,
} from '../../kernel/database/migrate.ts'
import { requireEmpty } from '../../kernel/database/empty.ts'
import { BackupReader, DamagedBackup, type BackupHeader, type Table } from './format.ts'
import { prepareJobs, type JobLoader } from './jobs.ts'
import { openMasterKey, type BackupKey } from './key.ts'
import { rowsOf, withSession } from './session.ts'
import * as sql from './sql.ts'
import { asError } from '../../kernel/unknown.ts'

/** A backup that was read once from its first to its last byte, and that the passphrase opens. */
export interface CheckedBackup {
  file: string
  header: BackupHeader
  key: BackupKey
  /** Those of the database that it is from. */
  migrations: Migration[]
}

const ELSEWHERE = 'Restore into an empty one: another SVC_DATA_DIR, or a new database for DATABASE_URL.'

/** How much of the file is read, between 0 and 1. */
export type OnRead = (share: number) => void

export interface LoadCounts {
  tables: number
  rows: number
  jobs: number
}
/** Throws DamagedBackup or WrongPassphrase, or when another version of the service is needed. Changes nothing. */
export async function checkBackup(
  file: string,
  passphrase: string,
  modules: readonly string[],
  onRead?: OnRead,
): Promise<CheckedBackup> {
  const reader = await openReader(file, onRead)
  try {
    const header = await reader.header()
    for (let section = await reader.section(); section; section = await reader.section()) {
      if (section.kind === 'table') for await (const _rows of reader.rows());
      if (section.kind === 'jobs') for await (const _job of reader.objects());
    }
    const key = await openMasterKey(header.masterKey, passphrase)
    reader.requireSignature(key)
    return { file, header, key, migrations: await selectMigrations(header.migrations, modules) }
  } finally {
    await reader.close()
  }
}

async function openReader(file: string, onRead?: OnRead): Promise<BackupReader> {
  if (!onRead) return new BackupReader(file)
  const { size } = await stat(file)
  return new BackupReader(file, bytes => onRead(bytes / size))
}

/**
 * Loads a backup into the empty database at `url`, in one transaction: after an error the database is empty as before. The
 * database then has the version of the backup: `migrate` brings it to this one. Throws when the database is not empty.
 */
export async function loadBackup(url: string, backup: CheckedBackup, onRead?: OnRead): Promise<LoadCounts> {
  return withSession(url, client => loadEmpty(client, url, { ...backup, onRead }))
}

async function loadEmpty(client: pg.Client, url: string, backup: Omit<Source, 'jobs'>): Promise<LoadCounts> {
  // A service that starts meanwhile waits, and finds the restored database.
  await lockMigrations(client)
  await requireEmpty(client, ELSEWHERE)
  const jobs = await prepareJobs(url, backup.header.queues)
  try {
    await client.query('begin')
    const counts = await load(client, { ...backup, jobs })
    await client.query('commit')
    return counts
  } catch (error) {
    await client
      .query('rollback')
      .then(() => client.query(sql.dropJobs))
      .catch(() => undefined)
    throw error
  } finally {
    await jobs.close()
  }
}

interface Source extends CheckedBackup {
  onRead: OnRead | undefined
  jobs: JobLoader
}

async function load(client: pg.Client, source: Source): Promise<LoadCounts> {
  await migrateEmpty(client, source.migrations)
  const tables = await rowsOf(client, sql.modulesTables())
  const foreignKeys = await rowsOf(client, sql.foreignKeys())
  for (const foreignKey of foreignKeys) await client.query(sql.dropForeignKey(foreignKey))
  for (const table of tables) await client.query(sql.disableTriggers(table))
  await client.query(sql.emptyTables(tables))
  const counts = await copy(client, source)
  for (const column of await rowsOf(client, sql.transactionColumns()))
    await client.query(sql.resetTransactions(column))
  for (const foreignKey of foreignKeys) await client.query(sql.addForeignKey(foreignKey))
  for (const table of tables) await client.query(sql.enableTriggers(table))
  await client.query(sql.analyze(tables))
  return counts
}

/** Reads the file again and checks it again: it may have changed since. */
async function copy(client: pg.Client, { file, key, jobs, onRead }: Source): Promise<LoadCounts> {
  const counts = { tables: 0, rows: 0, jobs: 0 }
  const reader = await openReader(file, onRead)
  try {
    await reader.header()
    for (let section = await reader.section(); section; section = await reader.section()) {
      if (section.kind === 'table') {
        counts.rows += await copyTable(client, section.table, reader)
        counts.tables++
      } else if (section.kind === 'jobs') counts.jobs = await jobs.insert(client, reader.objects())
      else for (const sequence of section.sequences) await rowsOf(client, sql.setSequence(sequence))
    }
    reader.requireSignature(key)
    return counts
  } finally {
    await reader.close()
  }
}

async function copyTable(client: pg.Client, table: Table, reader: BackupReader): Promise<number> {
  const target = client.query(copyFrom(sql.copyIn(table)))
  try {
    await pipeline(Readable.from(reader.rows(), { objectMode: false }), target)
  } catch (error) {
    throw error instanceof DamagedBackup
      ? error
      : new Error(`table ${table.name}: ${asError(error).message}`, { cause: error })
  }
  return target.rowCount
}
