import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import process from 'node:process'
import {
  fillFromBase,
  openBaseCopy,
  writeBaseCopy,
  type BaseCopy,
  type BaseCounts,
} from '#platform/adapters/backup/base-copy'
import { requireFirstSegment, requireWholeArchive } from '#platform/adapters/postgres/archive'
import { recoverEmbedded } from '#platform/adapters/postgres/recovery'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { migrate } from '#platform/kernel/database/migrate'
import { MODULES } from '../../server/modules/registry.ts'
import { EXIT, UsageError, type Given } from './command.ts'
import { openEmbedded, withServer } from './database.ts'
import { masterKeyOf, placeMasterKey } from './master-key.ts'
import { existingPassphrase, newPassphrase } from './passphrase.ts'
import { withProgress, type Progress } from './progress.ts'
import { findingsIn, printFindings } from './verification.ts'
import { serviceVersion } from './version.ts'

const ELSEWHERE =
  'the server of DATABASE_URL has tools of its own for this (pg_basebackup and its archive). Without --physical and --until the command works for it'

/** `svc backup --physical`: the files of the embedded server, which `svc restore --until` needs beside the archive. */
export async function backUpPhysically(folder: string, given: Given): Promise<number> {
  const config = readConfig(process.env)
  if (config.DATABASE_URL) throw new Error(ELSEWHERE)
  const to = resolve(folder)
  const masterKey = await masterKeyOf(config)
  const passphrase = await newPassphrase()
  const counts = await withProgress(given, progress =>
    copyFiles(config, { to, masterKey, passphrase }, progress),
  )
  if (given.options.has('--json')) console.log(JSON.stringify({ folder: to, ...counts }))
  else {
    console.log(`${folder}: ${counts.files} files, ${(counts.bytes / 1e6).toFixed(1)} MB`)
    console.log(`It needs the archive from ${counts.firstSegment} on.`)
    console.log('Store the passphrase separately: without it the copy cannot be restored.')
  }
  return EXIT.ok
}

async function copyFiles(
  config: Config,
  { to, masterKey, passphrase }: { to: string; masterKey: string; passphrase: string },
  progress: Progress,
): Promise<BaseCounts> {
  const { adminUrl, directory, stop } = await openEmbedded(config)
  try {
    return await writeBaseCopy(to, {
      adminUrl,
      directory,
      masterKey,
      passphrase,
      version: serviceVersion,
      onProgress: files => progress.show(`Copying the files of PostgreSQL: ${files}`),
    })
  } finally {
    await stop()
  }
}

/** `svc restore FOLDER`: a base copy, and what the archive has up to --until. */
export async function restoreFromBase(folder: string, given: Given): Promise<number> {
  const config = readConfig(process.env)
  if (config.DATABASE_URL) throw new Error(ELSEWHERE)
  const archive = given.options.get('--archive') ?? config.SVC_WAL_ARCHIVE
  if (!archive) throw new UsageError('--archive FOLDER is required: where SVC_WAL_ARCHIVE was')
  const passphrase = await existingPassphrase()
  const copy = await openBaseCopy(resolve(folder), passphrase)
  const until = momentOf(given.options.get('--until'), copy)
  const { migrated, findings } = await withProgress(given, async progress => {
    await recoverWithKey(config, { copy, archive: resolve(archive), until }, progress)
    // The archive of the old database may be set still: the log of the restored one must not go there.
    return withServer({ ...config, SVC_WAL_ARCHIVE: undefined }, async url => {
      const migrated = await migrate(url, MODULES)
      return { migrated, findings: await findingsIn(copy.masterKey, progress) }
    })
  })
  const { endedAt, service, postgres } = copy
  const restored = { folder: resolve(folder), endedAt, service, postgres, until, migrated, findings }
  if (given.options.has('--json')) console.log(JSON.stringify(restored))
  else {
    console.log(`${folder}: copy of ${endedAt}, service ${service}, PostgreSQL ${postgres}`)
    console.log(`Restored ${until ? `the state of ${until.toISOString()}` : 'all that the archive has'}.`)
    console.log('Give the restored service a new folder as SVC_WAL_ARCHIVE, and take a new copy of it.')
    printFindings(findings)
  }
  return findings.length ? EXIT.failed : EXIT.ok
}

/** The moment of --until. Throws for one that is before the end of the copy, or no time at all. */
function momentOf(text: string | undefined, { endedAt }: BaseCopy): Date | null {
  if (text === undefined) return null
  const until = new Date(text)
  if (Number.isNaN(until.getTime()) || !/[zZ]$|[+-]\d\d:?\d\d$/.test(text))
    throw new UsageError(`--until must be a time with its zone such as 2026-11-23T18:00:00Z, not "${text}"`)
  if (until < new Date(endedAt))
    throw new Error(`the copy was made until ${endedAt}: for an earlier time use an older copy`)
  return until
}

async function recoverWithKey(
  config: Config,
  { copy, archive, until }: { copy: BaseCopy; archive: string; until: Date | null },
  progress: Progress,
): Promise<void> {
  await requireFirstSegment(archive, copy.firstSegment)
  if (!until) await requireWholeArchive(archive, copy.firstSegment)
  const keyIsNew = await placeMasterKey(config, copy.masterKey)
  const dataDir = dataDirOf(config)
  const fill = async (directory: string) => {
    await fillFromBase(copy, directory, share => progress.show('Copying the files', share))
    progress.show('Reading the archive')
  }
  try {
    await recoverEmbedded({ dataDir, archive, until, fill })
  } catch (error) {
    if (keyIsNew) await rm(join(dataDir, 'master.key'))
    throw error
  }
}
