import process from 'node:process'
import { resolve } from 'node:path'
import { writeBackup } from '#platform/adapters/backup/dump'
import { dataDirOf, readConfig } from '#platform/kernel/config'
import { readMasterKey } from '#platform/kernel/secrets'
import { EXIT, type Command } from './command.ts'
import { withServer } from './database.ts'
import { newPassphrase } from './passphrase.ts'
import { serviceVersion } from './version.ts'

export const backup: Command = {
  name: 'backup',
  parameters: ['FILE'],
  summary: 'Writes a consistent copy of the database and the master key to FILE while the service runs.',
  async run([file = '']) {
    const config = readConfig(process.env)
    const started = performance.now()
    const dataDir = dataDirOf(config)
    const masterKey = config.SVC_MASTER_KEY?.toLowerCase() ?? (await readMasterKey(dataDir))
    if (!masterKey)
      throw new Error(
        `there is no master key in ${dataDir}: set SVC_DATA_DIR or SVC_MASTER_KEY to the values of the service, or start the service once`,
      )
    const passphrase = await newPassphrase()
    const counts = await withServer(config, url =>
      writeBackup({ url, file: resolve(file), masterKey, passphrase, version: serviceVersion }),
    )
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `${file}: ${counts.tables} tables, ${counts.rows} rows, ${counts.jobs} pending jobs, ${(counts.bytes / 1e6).toFixed(1)} MB, ${seconds} s`,
    )
    console.log('Store the passphrase separately: without it the backup cannot be restored.')
    return EXIT.ok
  },
}
