import { DAY } from '#platform/clock'
import { MICRO } from '#platform/money'
import type { OutcomeRow } from './sql.ts'

export const FORMULA =
  '0.5 delivery + 0.2 onTime + 0.2 disputes + 0.1 certification; each a Wilson lower bound at 95%, 90-day half-life, ' +
  'a deal weighs log10(1 + amount) / 2'
const HALF_LIFE = 90 * DAY
const MAX_SHARE = 0.2
const Z = 1.96
const WEIGHTS = { delivery: 0.5, onTime: 0.2, disputes: 0.2, certification: 0.1 } as const

export type Components = Record<keyof typeof WEIGHTS, number>

export interface Score {
  score: number
  components: Components
  sampleSize: number
  confidence: number
}

/** Score 0-100 of the outcomes that count, as of `now`. Components are 0 to 1; without evidence all are 0. */
export function scoreOf(outcomes: readonly OutcomeRow[], now: Date): Score {
  const weights = weightsOf(outcomes, now)
  const sumWhere = (test: (outcome: OutcomeRow) => boolean) =>
    outcomes.reduce((sum, outcome, index) => sum + (test(outcome) ? (weights[index] ?? 0) : 0), 0)
  const evidence = sumWhere(() => true)
  const completed = sumWhere(outcome => outcome.outcome === 'COMPLETED')
  const components: Components = {
    delivery: wilsonLowerBound(completed, evidence),
    onTime: wilsonLowerBound(
      sumWhere(outcome => outcome.outcome === 'COMPLETED' && outcome.onTime),
      completed,
    ),
    disputes: wilsonLowerBound(
      sumWhere(outcome => !outcome.disputed),
      evidence,
    ),
    certification: 0,
  }
  const total = (Object.keys(WEIGHTS) as (keyof Components)[]).reduce(
    (sum, name) => sum + WEIGHTS[name] * components[name],
    0,
  )
  return {
    score: Math.round(100 * total),
    components: rounded(components),
    sampleSize: outcomes.length,
    confidence: round(evidence / (evidence + Z * Z)),
  }
}

/** Lower end of the 95 % interval of a rate seen as `good` out of `all` (Wilson 1927); both may be fractional. */
export function wilsonLowerBound(good: number, all: number): number {
  if (all <= 0) return 0
  const rate = good / all
  const spread = Z * Math.sqrt((rate * (1 - rate) + (Z * Z) / (4 * all)) / all)
  return Math.max(0, (rate + (Z * Z) / (2 * all) - spread) / (1 + (Z * Z) / all))
}

/** A deal of 99 USD weighs 1, one of 9,999 USD 2, dust next to nothing. `amount` in micro-units. */
const weightOfAmount = (amount: bigint): number => Math.log10(1 + Number(amount) / Number(MICRO)) / 2

/** By amount, half of it every 90 days; then no counterparty brings more than a fifth of all weight before that cut. */
function weightsOf(outcomes: readonly OutcomeRow[], now: Date): number[] {
  const aged = outcomes.map(
    ({ amount, at }) => weightOfAmount(amount) * 0.5 ** (Math.max(0, now.getTime() - at.getTime()) / HALF_LIFE),
  )
  const most = MAX_SHARE * aged.reduce((sum, weight) => sum + weight, 0)
  const perCounterparty = new Map<string, number>()
  outcomes.forEach(({ counterpartyAccountId: id }, index) =>
    perCounterparty.set(id, (perCounterparty.get(id) ?? 0) + (aged[index] ?? 0)),
  )
  return outcomes.map(
    ({ counterpartyAccountId: id }, index) => (aged[index] ?? 0) * Math.min(1, most / (perCounterparty.get(id) ?? 1)),
  )
}

const round = (value: number): number => Math.round(value * 1000) / 1000
const rounded = (components: Components): Components =>
  Object.fromEntries(Object.entries(components).map(([name, value]) => [name, round(value)])) as Components
