import { Loop } from '#platform/kernel/background/loop'
import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import type { QualityBonus } from '../core/routing.ts'
import { accountsWithNewOutcomes, scoresOf } from './outcome-sql.ts'

/** The most that outcomes change the quality of a model, which is from 0 to 1. */
export const MAX_BONUS = 0.1
/** So many outcomes of the middle are assumed beforehand: the first ones change little. */
const PRIOR_OUTCOMES = 5
const HALF_LIFE_DAYS = 90
/** How long another instance may not know of an outcome. */
const REFRESH_MS = 5 * SECOND
/** Accounts whose outcomes are in memory. */
const MAX_ACCOUNTS = 5000
const MAX_LOADED_AT_ONCE = 500

/** Shrunk mean of the scores, as a change of the quality: 0 without outcomes, towards ±MAX_BONUS with many. */
export function bonusOf({ weight, score }: { weight: number; score: number }): number {
  const mean = (score + PRIOR_OUTCOMES / 2) / (weight + PRIOR_OUTCOMES)
  return (mean - 0.5) * 2 * MAX_BONUS
}

/** Outcomes by account. An account that is asked about the first time has no bonus until its outcomes are read. */
export class QualityBonuses {
  readonly #services: Pick<Services, 'db' | 'clock' | 'log'>
  readonly #loop: Loop
  readonly #accounts = new Map<string, ReadonlyMap<string, number>>()
  #wanted = new Set<string>()
  #loading: Promise<void> | undefined
  #stopped = true

  constructor(services: Pick<Services, 'db' | 'clock' | 'log'>) {
    this.#services = services
    this.#loop = new Loop('outcomes', REFRESH_MS, services.log, () => this.#refresh())
  }

  readonly of: QualityBonus = (accountId, model, kind) => {
    const known = this.#accounts.get(accountId)
    if (known) return known.get(keyOf(model, kind)) ?? 0
    this.#want(accountId)
    return 0
  }

  start(): void {
    this.#stopped = false
    this.#loop.start()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#loop.stop()
    await this.#loading
  }

  /** Reads the outcomes of an account again. */
  async load(accountId: string): Promise<void> {
    await this.#read([accountId])
  }

  #want(accountId: string): void {
    if (this.#stopped) return
    this.#wanted.add(accountId)
    this.#loading ??= this.#readWanted()
      .catch((err: unknown) => this.#services.log.warn({ err }, 'outcomes not read'))
      .finally(() => (this.#loading = undefined))
  }

  async #readWanted(): Promise<void> {
    while (this.#wanted.size && !this.#stopped) {
      const ids = [...this.#wanted].slice(0, MAX_LOADED_AT_ONCE)
      for (const id of ids) this.#wanted.delete(id)
      await this.#read(ids)
    }
  }

  async #refresh(): Promise<void> {
    // Twice the period: a transaction may commit some time after it wrote.
    const rows = await this.#services.db.rows(accountsWithNewOutcomes((2 * REFRESH_MS) / SECOND))
    const ids = rows.map(({ accountId }) => accountId).filter(id => this.#accounts.has(id))
    if (ids.length) await this.#read(ids)
  }

  async #read(accountIds: readonly string[]): Promise<void> {
    const { db, clock } = this.#services
    const rows = await db.rows(scoresOf(accountIds, HALF_LIFE_DAYS, clock.now()))
    const found = new Map(accountIds.map(id => [id, new Map<string, number>()]))
    for (const row of rows) found.get(row.accountId)?.set(keyOf(row.model, row.kind), bonusOf(row))
    for (const [id, bonuses] of found) {
      this.#accounts.delete(id)
      this.#accounts.set(id, bonuses)
    }
    for (const id of this.#accounts.keys()) {
      if (this.#accounts.size <= MAX_ACCOUNTS) break
      this.#accounts.delete(id)
    }
  }
}

const keyOf = (model: string, kind: string): string => `${model} ${kind}`
