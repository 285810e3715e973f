import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { isBaseCopy } from '#platform/adapters/backup/base-copy'
import { checkBackup, loadBackup, type CheckedBackup, type LoadCounts } from '#platform/adapters/backup/load'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { migrate } from '#platform/kernel/database/migrate'
import { asError } from '#platform/kernel/unknown'
import { MODULES } from '../../../server/modules/registry.ts'
import { restoreFromBase } from '../base-copy.ts'
import { EXIT, UsageError, type Command } from '../command.ts'
import { withServer } from '../database.ts'
import { placeMasterKey } from '../master-key.ts'
import { existingPassphrase } from '../passphrase.ts'
import { withProgress, type Progress } from '../progress.ts'
import { findingsIn, printFindings } from '../verification.ts'

export const run: Command['run'] = async (_, given) => {
  const [file = ''] = given.parameters
  if (await isBaseCopy(resolve(file))) return restoreFromBase(file, given)
  if (given.options.has('--until') || given.options.has('--archive'))
    throw new UsageError('--until and --archive need a folder that svc backup --physical made')
  const config = readConfig(process.env)
  const passphrase = await existingPassphrase()
  const { backup, restored, findings } = await withProgress(given, async progress => {
    const backup = await checkBackup(resolve(file), passphrase, MODULES, share =>
      progress.show('Reading the backup', share),
    )
    const restored = await restoreWithKey(config, backup, progress)
    return { backup, restored, findings: await findingsIn(backup.key.masterKey, progress) }
  })
  const { createdAt, service, postgres } = backup.header
  if (given.options.has('--json'))
    console.log(JSON.stringify({ file: resolve(file), createdAt, service, postgres, ...restored, findings }))
  else {
    console.log(`${file}: backup of ${createdAt}, service ${service}, PostgreSQL ${postgres}`)
    printCounts(restored)
    printFindings(findings)
    if (findings.length)
      console.log('The backup was restored completely, but its data has the findings above.')
  }
  return findings.length ? EXIT.failed : EXIT.ok
}

interface Restored extends LoadCounts {
  /** The migrations that this version added to those of the backup. */
  migrated: string[]
}

function printCounts({ tables, rows, jobs, migrated }: Restored): void {
  console.log(`${tables} tables, ${rows} rows and ${jobs} pending jobs were restored.`)
  if (migrated.length) console.log(`Migrated to this version: ${migrated.join(', ')}`)
}

async function restoreWithKey(config: Config, backup: CheckedBackup, progress: Progress): Promise<Restored> {
  const keyIsNew = await placeMasterKey(config, backup.key.masterKey)
  progress.show('Opening the database')
  let isLoaded = false
  try {
    const load = async (url: string): Promise<Restored> => {
      const counts = await loadBackup(url, backup, share => progress.show('Restoring the rows', share))
      isLoaded = true
      const migrated = await migrate(url, MODULES, ({ name, share }) =>
        progress.show(`Migrating: ${name}`, share),
      )
      return { ...counts, migrated }
    }
    return await withServer(config, load, { create: true })
  } catch (error) {
    // Without its key the restored data could not be opened.
    if (isLoaded)
      throw new Error(
        `the data is restored, but its migration to this version failed, and the next start repeats it: ${asError(error).message}`,
        {
          cause: error,
        },
      )
    if (keyIsNew) await rm(join(dataDirOf(config), 'master.key'))
    throw error
  }
}
