import type { App } from '../http/operation.ts'
import type { Binding } from './bindings.ts'
import type { Queryable } from './db.ts'
import type { ConstraintError } from './errors.ts'
import type { JobDefinition } from './background/jobs.ts'
import type { LedgerCheck } from './ledger-check.ts'
import type { AnyPort } from './ports.ts'
import type { Services } from './services.ts'
import type { Timer } from './background/timers.ts'

/** Figures of a module for `/metrics`, which the ledger monitor reads every ten minutes, on one instance for all. */
export interface ModuleMetrics {
  /** Name of the gauge -> its help text. */
  help: Readonly<Record<string, string>>
  /** The value of each gauge; `now` is business time. */
  read(q: Queryable, now: Date): Promise<Record<string, number>>
}

/** What a module contributes to one running service. Its state lives in the closure of `create`. */
export interface ModuleInstance {
  routes?(app: App): void
  timers?: readonly Timer[]
  jobs?: readonly JobDefinition[]
  metrics?: ModuleMetrics
  /** Counters and histograms of this instance for `/metrics`, in the text format of Prometheus. */
  metricsText?(): Promise<string>
  /** Subscribers of events of lower modules: `escrowEnded.with(closeReferralOfEndedEscrow)`. */
  subscribes?: readonly Binding[]
  /** Implementations of ports of lower modules: `releaseLegs.with(commissionLegs)`. */
  provides?: readonly Binding[]
  /** Runs once after the migrations, before the first request. */
  start?(): Promise<void>
  /** Ends what `start` began (loops, listeners), before the pool closes. */
  stop?(): Promise<void>
}

export interface ModuleDefinition {
  /** The name of its folder. */
  name: string
  /** Only part of the service in sandbox mode. */
  sandboxOnly?: boolean
  /** Constraint name -> the API error that its violation means to a caller. */
  constraints?: Readonly<Record<string, ConstraintError>>
  /** Rules of the module that the ledger check applies: in the service every ten minutes, and in `svc ledger check`. */
  ledgerChecks?: readonly LedgerCheck[]
  /** Ports that upper modules implement; the service does not start while an implementation is missing. */
  ports?: readonly AnyPort[]
  /** Called once per running service. Must not use the database: the OpenAPI document is made without one. */
  create(services: Services): ModuleInstance
}

/** The definition of a module, which `module.ts` of its folder exports as default. */
export class Module {
  readonly definition: ModuleDefinition

  constructor(definition: ModuleDefinition) {
    this.definition = definition
  }
}

export const defineModule = (definition: ModuleDefinition): Module => new Module(definition)
