import type { Services } from '#platform/kernel/services'
import type { UsageRecord } from '../core/funds.ts'
import { QualityBonuses, type QualityBonus } from './bonus.ts'

/** What a caller of the pipeline knows beside the record. */
export interface Observed {
  record: UsageRecord
  /** Time that the gateway itself took, in milliseconds. */
  overheadMs: number
}

export interface Analytics {
  /** Metrics and traces of a request that has ended. Never throws and waits for nothing. */
  observe(observed: Observed): void
  /** For stage 2 of the router. */
  qualityBonus: QualityBonus
  /** Reads the outcomes of an account again. */
  loadOutcomes(accountId: string): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export function createAnalytics(services: Services): Analytics {
  const bonuses = new QualityBonuses(services)
  return {
    observe: () => undefined,
    qualityBonus: bonuses.of,
    loadOutcomes: accountId => bonuses.load(accountId),
    start: async () => bonuses.start(),
    stop: () => bonuses.stop(),
  }
}
