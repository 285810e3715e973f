import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { sealLedger } from '#ledger'
import { sealAudit } from '#platform/kernel/audit'
import { checkBackup, loadBackup, type CheckedBackup } from '#platform/adapters/backup/load'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { readMasterKey, secretsOf, writeMasterKey } from '#platform/kernel/secrets'
import { MODULES } from '../../server/modules/registry.ts'
import { auditVerify } from './audit-verify.ts'
import { EXIT, NOTHING, type Command } from './command.ts'
import { withDatabase, withServer } from './database.ts'
import { ledgerCheck } from './ledger-check.ts'
import { existingPassphrase } from './passphrase.ts'

export const restore: Command = {
  name: 'restore',
  parameters: ['FILE'],
  summary:
    'Loads FILE into an empty data folder, or into the empty database of DATABASE_URL, and checks the ledger.',
  async run([file = '']) {
    const config = readConfig(process.env)
    const backup = await checkBackup(resolve(file), await existingPassphrase(), MODULES)
    const { header } = backup
    console.log(
      `${file}: backup of ${header.createdAt}, service ${header.service}, PostgreSQL ${header.postgres}`,
    )
    const keyIsNew = await placeMasterKey(config, backup.key.masterKey)
    try {
      await load(config, backup)
    } catch (error) {
      if (keyIsNew) await rm(join(dataDirOf(config), 'master.key'))
      throw error
    }
    // What waited for its block at the time of the backup is older than verification allows.
    const secrets = secretsOf(backup.key.masterKey)
    await withDatabase(async db => {
      await sealLedger(db, secrets)
      await sealAudit(db, secrets)
      return EXIT.ok
    })
    const results = [await ledgerCheck.run([], NOTHING), await auditVerify.run([], NOTHING)]
    if (results.every(status => status === EXIT.ok)) return EXIT.ok
    console.log('The backup was restored completely, but its data has the findings above.')
    return EXIT.failed
  },
}

/** Makes sure that the service will start with the key of the backup; true when its file was written. */
async function placeMasterKey(config: Config, masterKey: string): Promise<boolean> {
  if (config.SVC_MASTER_KEY) {
    if (config.SVC_MASTER_KEY.toLowerCase() !== masterKey)
      throw new Error(
        'SVC_MASTER_KEY is not the key of this backup: unset it; the restore then writes the key to master.key in the data folder',
      )
    return false
  }
  const dataDir = dataDirOf(config)
  const existing = await readMasterKey(dataDir)
  if (existing && existing.toLowerCase() !== masterKey)
    throw new Error(
      `${join(dataDir, 'master.key')} is not the key of this backup: restore into an empty data folder`,
    )
  if (!existing) await writeMasterKey(dataDir, masterKey)
  return !existing
}

async function load(config: Config, backup: CheckedBackup): Promise<void> {
  const counts = await withServer(config, url => loadBackup(url, backup))
  console.log(`${counts.tables} tables, ${counts.rows} rows and ${counts.jobs} pending jobs were restored.`)
  if (counts.migrated.length) console.log(`Migrated to this version: ${counts.migrated.join(', ')}`)
}
