import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { createVerifier } from '#platform/adapters/browser/verifier'
import { Bindings } from '#platform/kernel/bindings'
import { ServiceClock } from '#platform/kernel/clock'
import { dataDirOf, type Config } from '#platform/kernel/config'
import { ensureDataDir } from '#platform/adapters/data-dir'
import { createPool } from '#platform/kernel/database/pool'
import { Db } from '#platform/kernel/db'
import { Failpoints } from '#platform/kernel/database/failpoints'
import { Jobs } from '#platform/kernel/background/jobs'
import { SchemaChecker } from '#platform/adapters/json-schema/checker'
import { Limits } from '#platform/http/limits/limits'
import { createLog } from '#platform/adapters/log/log'
import { openSecrets } from '#platform/kernel/secrets'
import type { Services } from '#platform/kernel/services'
import { Timers } from '#platform/kernel/background/timers'

/** Builds what modules need over the database at `databaseUrl`; with a master key at hand it opens no connection. */
export async function openServices(
  config: Config,
  databaseUrl: string,
  log = createLog(config.LOG_LEVEL),
): Promise<Services> {
  const dataDir = dataDirOf(config)
  await ensureDataDir(dataDir)
  const clock = new ServiceClock()
  const failpoints = config.SVC_FAILPOINTS === undefined ? undefined : new Failpoints(config.SVC_FAILPOINTS)
  const pool = createPool(databaseUrl, config.DATABASE_POOL_SIZE, config.DATABASE_DIRECT_URL)
  const db = new Db(pool, { clock, bindings: new Bindings(), failpoints })
  const publicUrl = publicUrlOf(config)
  const verifier = createVerifier({
    cacheDir: join(dataDir, 'chromium'),
    chromiumPath: config.CHROMIUM_PATH,
    allowPrivate: config.VERIFIER_ALLOW_PRIVATE,
    namesSetting: config.sandbox,
    ownUrl: publicUrl,
    ownPages: config.sandbox ? '/sandbox/pages/' : undefined,
    log: message => log.info(message),
  })
  return {
    config,
    dataDir,
    publicUrl,
    log,
    clock,
    db,
    verifier,
    secrets: await openSecrets(dataDir, db, config.SVC_MASTER_KEY),
    limits: new Limits(db, clock),
    jobs: new Jobs(db, log),
    schemas: new SchemaChecker(),
    timers: new Timers(db, clock, log),
    health: { failure: null, isLeaving: false },
    memo: new Map(),
  }
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

/** Where users reach the service; listening on every interface says nothing about a name. */
export function publicUrlOf({
  HOST,
  PORT,
  PUBLIC_URL,
}: Pick<Config, 'HOST' | 'PORT' | 'PUBLIC_URL'>): string {
  const host = ANY_ADDRESS.has(HOST) ? 'localhost' : isIPv6(HOST) ? `[${HOST}]` : HOST
  return PUBLIC_URL ?? `http://${host}:${PORT}`
}
