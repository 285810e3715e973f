import { join } from 'node:path'
import { createVerifier } from '#platform/browser/verifier'
import { ServiceClock } from '#platform/clock'
import { dataDirOf, type Config } from '#platform/config'
import { ensureDataDir } from '#platform/data-dir'
import { createPool, Db } from '#platform/db'
import { Jobs } from '#platform/jobs'
import { SchemaChecker } from '#platform/json-schema/checker'
import { Limits } from '#platform/limits'
import { createLog } from '#platform/log'
import { openSecrets } from '#platform/secrets'
import type { Services } from '#platform/services'
import { Timers } from '#platform/timers'
import { bindReactions } from './reactions.ts'

/** Builds what modules need over the database at `databaseUrl`; with a master key at hand it opens no connection. */
export async function openServices(config: Config, databaseUrl: string, log = createLog(config.LOG_LEVEL)): Promise<Services> {
  const dataDir = dataDirOf(config)
  await ensureDataDir(dataDir)
  const clock = new ServiceClock()
  const db = new Db(createPool(databaseUrl, config.DATABASE_POOL_SIZE), { clock, reactions: bindReactions() })
  const publicUrl = publicUrlOf(config)
  const verifier = createVerifier({
    cacheDir: join(dataDir, 'chromium'), chromiumPath: config.CHROMIUM_PATH, allowPrivate: config.VERIFIER_ALLOW_PRIVATE,
    ownUrl: publicUrl, ownPages: config.sandbox ? '/sandbox/pages/' : undefined, log: message => log.info(message),
  })
  return {
    config, dataDir, publicUrl, log, clock, db, verifier,
    secrets: await openSecrets(dataDir, db, config.SVC_MASTER_KEY),
    limits: new Limits(db, clock),
    jobs: new Jobs(db, log),
    schemas: new SchemaChecker(),
    timers: new Timers(db, clock, log),
    health: { failure: null },
  }
}

/** Where users reach the service; listening on every interface says nothing about a name. */
function publicUrlOf(config: Config): string {
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST
  return config.PUBLIC_URL ?? `http://${host}:${config.PORT}`
}
