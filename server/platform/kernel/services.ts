import type { ServiceClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Db } from './db.ts'
import type { Jobs } from './background/jobs.ts'
import type { SchemaChecker } from '../adapters/json-schema/checker.ts'
import type { Limits } from '../http/limits/limits.ts'
import type { Log } from '../adapters/log/log.ts'
import type { Secrets } from './secrets.ts'
import type { Timers } from './background/timers.ts'
import type { Verifier } from '../adapters/browser/verifier.ts'

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
  /**
   * `failure` says why only a new start can help; /healthz answers 503 with it. While `isLeaving`, /readyz answers 503 and
   * each response ends its connection, so that a balancer moves to other instances before this one stops.
   */
  health: { failure: string | null; isLeaving: boolean }
  schemas: SchemaChecker
  /** What `memoizePerService` made for this service. */
  memo: Map<object, unknown>
}

/**
 * A function that runs `create` once per running service and returns the same value afterwards. For state of a module that
 * functions of other modules reach too; other state belongs in the closure of the module's `create`. A promise that is
 * rejected is not retained.
 */
export function memoizePerService<Parts extends Pick<Services, 'memo'>, Value>(
  create: (services: Parts) => Value,
): (services: Parts) => Value {
  return services => {
    if (services.memo.has(create)) return services.memo.get(create) as Value
    const value = create(services)
    services.memo.set(create, value)
    if (value instanceof Promise) value.catch(() => services.memo.delete(create))
    return value
  }
}
