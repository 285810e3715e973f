import type { Services } from '#platform/kernel/services'
import type { CallObserver } from '../core/call.ts'
import type { QualityBonus } from '../core/routing.ts'
import { QualityBonuses } from './bonus.ts'

export interface Analytics extends CallObserver {
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
    ended: () => undefined,
    qualityBonus: bonuses.of,
    loadOutcomes: accountId => bonuses.load(accountId),
    start: async () => bonuses.start(),
    stop: () => bonuses.stop(),
  }
}
