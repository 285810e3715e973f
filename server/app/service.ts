import { setTimeout as sleep } from 'node:timers/promises'
import { credentials } from '#identity'
import type { Config } from '#platform/kernel/config'
import type { App } from '#platform/http/operation'
import { sweepIdempotency } from '#platform/kernel/idempotency'
import type { Log } from '#platform/adapters/log/log'
import { Loop } from '#platform/kernel/background/loop'
import { mailJob } from '#platform/adapters/mail/mail'
import { migrate } from '#platform/kernel/database/migrate'
import { requireConnectionSettings } from '#platform/kernel/database/pooler'
import type { Services } from '#platform/kernel/services'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import { inTime } from '#platform/kernel/background/in-time'
import { createApp } from './app.ts'
import { LedgerMonitor } from './ledger-monitor.ts'
import { createModules, type RunningModule } from './modules.ts'
import { openServices } from './services.ts'
import { MODULES } from '../modules/registry.ts'

export { loadModules } from './modules.ts'

export interface RunningService {
  app: App
  services: Services
  monitor: LedgerMonitor
  /** Serves on for STOP_DELAY_SECONDS while /readyz answers 503: a balancer then sends its requests elsewhere. */
  leave(): Promise<void>
  /** Stops taking requests, finishes those under way (at most 8 s), then the loops, then the pool. */
  stop(): Promise<void>
}

const DRAIN_MS = 8000
/** Work that never ends must not prevent the process from ending. */
const STOP_MS = 30_000

/** Migrations, services, modules, HTTP: everything between a database and a listening port. */
export async function startService(config: Config, databaseUrl: string, log?: Log): Promise<RunningService> {
  await migrate(config.DATABASE_DIRECT_URL ?? databaseUrl, MODULES)
  const services = await openServices(config, databaseUrl, log)
  await services.secrets.requireMatch(services.db)
  if (config.DATABASE_DIRECT_URL) await requireConnectionSettings(services.db)
  const modules = await createModules(services)
  const monitor = new LedgerMonitor(services, modules)
  services.jobs.define(mailJob(services))
  for (const { instance } of modules) {
    services.timers.add(...(instance.timers ?? []))
    services.jobs.define(...(instance.jobs ?? []))
  }
  for (const { instance } of modules) await instance.start?.()
  const app = await createApp(services, {
    modules,
    monitor,
    authenticate: credentials.createAuthenticator(services),
  })
  const housekeeping = new Loop('housekeeping', MINUTE, services.log, () => sweep(services))
  // Before listening: an operation that enqueues a job needs its queue, and ready means that every operation works.
  await services.jobs.start()
  services.timers.start()
  housekeeping.start()
  monitor.start()
  await app.listen({ port: config.PORT, host: config.HOST })
  const leave = async () => {
    services.health.isLeaving = true
    await sleep(config.STOP_DELAY_SECONDS * SECOND)
  }
  const stop = async () => {
    await drain(app)
    const parts = [
      services.timers.stop(),
      services.jobs.stop(),
      housekeeping.stop(),
      monitor.stop(),
      services.verifier.close(),
      services.schemas.close(),
    ]
    // What does not end in time, such as a long check, keeps nothing else from being stored and closed.
    await inTime(Promise.all(parts), STOP_MS).catch((error: unknown) =>
      services.log.error({ err: error }, 'background work did not stop in time'),
    )
    await stopModules(services, modules)
    await services.db.pool.close()
  }
  return { app, services, monitor, leave, stop }
}

/** Stops the upper modules first. One that fails, such as without a database, does not prevent the others from it. */
async function stopModules({ log }: Services, modules: readonly RunningModule[]): Promise<void> {
  for (const { definition, instance } of modules.toReversed())
    await inTime(instance.stop?.() ?? Promise.resolve(), STOP_MS).catch((error: unknown) =>
      log.error({ err: error, module: definition.name }, 'did not stop cleanly'),
    )
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
