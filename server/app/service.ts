import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthenticator } from '#identity'
import type { Config } from '#platform/config'
import type { App } from '#platform/http/route'
import { sweepIdempotency } from '#platform/idempotency'
import type { Log } from '#platform/log'
import { Loop } from '#platform/loop'
import { mailJob } from '#platform/mail'
import { migrate } from '#platform/migrate'
import type { Services } from '#platform/services'
import { MINUTE } from '#platform/clock'
import { createApp } from './app.ts'
import { modulesFor } from './modules.ts'
import { openServices } from './services.ts'

export interface RunningService {
  app: App
  services: Services
  /** Stops taking requests, finishes those under way (at most 8 s), then the loops, then the pool. */
  stop(): Promise<void>
}

const DRAIN_MS = 8000

/** Migrations, services, modules, HTTP: everything between a database and a listening port. */
export async function startService(config: Config, databaseUrl: string, log?: Log): Promise<RunningService> {
  await migrate(config.DATABASE_DIRECT_URL ?? databaseUrl)
  const services = await openServices(config, databaseUrl, log)
  const modules = modulesFor(config)
  services.jobs.define(mailJob(services))
  for (const module of modules) {
    services.timers.add(...module.timers?.(services) ?? [])
    services.jobs.define(...module.jobs?.(services) ?? [])
  }
  for (const module of modules) await module.start?.(services)
  const app = await createApp(services, createAuthenticator(services))
  const housekeeping = new Loop('housekeeping', MINUTE, services.log, () => sweep(services))
  // Before listening: an operation that enqueues a job needs its queue, and ready means that every operation works.
  await services.jobs.start()
  services.timers.start()
  housekeeping.start()
  await app.listen({ port: config.PORT, host: config.HOST })
  const stop = async () => {
    await drain(app)
    await Promise.all([services.timers.stop(), services.jobs.stop(), housekeeping.stop(), services.verifier.close(), services.schemas.close()])
    // One that cannot, such as without a database, keeps no other from it.
    for (const module of modules.toReversed()) await module.stop?.(services).catch((error: unknown) => services.log.error({ err: error, module: module.name }, 'did not stop cleanly'))
    await services.db.pool.close()
  }
  return { app, services, stop }
}

/** Answers what is under way; a connection that falls idle meanwhile is closed, so that nobody is waited for in vain. */
async function drain(app: App): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), 50)
  await Promise.race([app.close(), sleep(DRAIN_MS, undefined, { ref: false })])
  clearInterval(idle)
}

async function sweep({ limits, db, clock }: Services): Promise<void> {
  await limits.sweep()
  await sweepIdempotency(db, clock.real())
}
