import type { FaultRow } from './fault.ts'
import type { ServiceClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Db } from './db.ts'
import type { App } from './http/route.ts'
import type { JobDefinition, Jobs } from './jobs.ts'
import type { SchemaChecker } from './json-schema/checker.ts'
import type { Limits } from './limits.ts'
import type { Log } from './log.ts'
import type { Secrets } from './secrets.ts'
import type { Timer, Timers } from './timers.ts'
import type { Verifier } from './browser/verifier.ts'

/** What a module gets from the composition root. */
export interface Services {
  config: Config
  /** Address that users reach, without a slash at its end. */
  publicUrl: string
  /** Absolute path of the data folder. */
  dataDir: string
  db: Db
  clock: ServiceClock
  log: Log
  secrets: Secrets
  limits: Limits
  jobs: Jobs
  timers: Timers
  verifier: Verifier
  /** `failure` says why only a new start can help; /healthz answers 503 with it. */
  health: { failure: string | null }
  schemas: SchemaChecker
}

/** What a module gives to the composition root; app/app.ts lists the modules in order. */
export interface Module {
  name: string
  routes(app: App, services: Services): void
  /** Constraint name -> the fault that its violation means to a caller. */
  constraints?: Record<string, FaultRow>
  timers?(services: Services): Timer[]
  jobs?(services: Services): JobDefinition[]
  /** Runs once after the migrations, before the first request. */
  start?(services: Services): Promise<void>
  /** Ends what `start` began (loops, listeners), before the pool closes. */
  stop?(services: Services): Promise<void>
  /** Only part of the service in sandbox mode. */
  sandboxOnly?: boolean
}
