import process from 'node:process'
import { createLog } from '#platform/adapters/log/log'
import { mailJob } from '#platform/adapters/mail/mail'
import type { Config } from '#platform/kernel/config'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { createModules } from './modules.ts'
import { openServices } from './services.ts'

/**
 * Runs `work` with the modules of a service that may run elsewhere: no route, timer or loop of theirs runs here, and the
 * jobs that they add are left to the service.
 */
export async function withModules<T>(
  config: Config,
  databaseUrl: string,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  // The command prints its result; what would be logged belongs to the service.
  const services = await openServices(config, databaseUrl, createLog('fatal', process.stderr))
  try {
    await services.secrets.requireMatch(services.db)
    services.jobs.define(mailJob(services))
    for (const { instance } of await createModules(services)) services.jobs.define(...(instance.jobs ?? []))
    await services.jobs.startSending()
    await followClock(services)
    return await work(services)
  } finally {
    await services.jobs.stop()
    await services.schemas.close()
    await services.verifier.close()
    await services.db.pool.close()
  }
}

/** Sandbox mode: business time as the service has it. */
async function followClock({ config, db, clock }: Services): Promise<void> {
  if (!config.sandbox) return
  const row = await db.maybe(sql<{ offsetMs: bigint }>`select offset_ms from platform_clock`)
  if (row) clock.setOffset(Number(row.offsetMs))
}
