import process from 'node:process'
import { resolve } from 'node:path'
import { writeBackup, type BackupCounts } from '#platform/adapters/backup/dump'
import { readConfig } from '#platform/kernel/config'
import { backUpPhysically } from '../base-copy.ts'
import { EXIT, type Command } from '../command.ts'
import { withServer } from '../database.ts'
import { masterKeyOf } from '../master-key.ts'
import { newPassphrase } from '../passphrase.ts'
import { withProgress, type Progress } from '../progress.ts'
import { serviceVersion } from '../version.ts'

export const run: Command['run'] = async (_, given) => {
  const [file = ''] = given.parameters
  if (given.options.has('--physical')) return backUpPhysically(file, given)
  const config = readConfig(process.env)
  const started = performance.now()
  const masterKey = await masterKeyOf(config)
  const passphrase = await newPassphrase()
  const counts = await withProgress(given, progress =>
    withServer(config, url => writeTo({ url, file: resolve(file), masterKey, passphrase }, progress)),
  )
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1))
  if (given.options.has('--json')) console.log(JSON.stringify({ file: resolve(file), ...counts, seconds }))
  else {
    console.log(`${file}: ${summaryOf(counts)}, ${seconds} s`)
    console.log('Store the passphrase separately: without it the backup cannot be restored.')
  }
  return EXIT.ok
}

interface Target {
  url: string
  file: string
  masterKey: string
  passphrase: string
}

export const writeTo = (target: Target, progress: Progress): Promise<BackupCounts> =>
  writeBackup({
    ...target,
    version: serviceVersion,
    onProgress: share => progress.show('Writing the backup', share),
  })

export const summaryOf = ({ tables, rows, jobs, bytes }: BackupCounts): string =>
  `${tables} tables, ${rows} rows, ${jobs} pending jobs, ${(bytes / 1e6).toFixed(1)} MB`
