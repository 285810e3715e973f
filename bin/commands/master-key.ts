import { join } from 'node:path'
import { dataDirOf, type Config } from '#platform/kernel/config'
import type { Queryable } from '#platform/kernel/db'
import { readMasterKey, secretsOf, writeMasterKey, type Secrets } from '#platform/kernel/secrets'

/** The key of the service. Throws without one: a backup without it would restore no secret. */
export async function masterKeyOf(config: Config): Promise<string> {
  const dataDir = dataDirOf(config)
  const masterKey = config.SVC_MASTER_KEY?.toLowerCase() ?? (await readMasterKey(dataDir))
  if (masterKey) return masterKey
  throw new Error(
    `there is no master key in ${dataDir}: set SVC_DATA_DIR or SVC_MASTER_KEY to the values of the service, or start the service once`,
  )
}

/** The secrets of the service. Throws without its key, and with another one. */
export async function secretsFor(config: Config, db: Queryable): Promise<Secrets> {
  const secrets = secretsOf(await masterKeyOf(config))
  await secrets.requireMatch(db)
  return secrets
}

/** Makes sure that the service will start with the key of the backup; true when its file was written. */
export async function placeMasterKey(config: Config, masterKey: string): Promise<boolean> {
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
