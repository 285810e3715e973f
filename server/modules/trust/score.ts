import { DAY } from '#platform/kernel/clock'
import { MICRO } from '#platform/kernel/money'
import type { Certificate } from './ports.ts'
import type { OutcomeRow } from './sql.ts'

export const FORMULA =
  '0.5 delivery + 0.2 onTime + 0.2 disputes + 0.1 certification; each a Wilson lower bound at 95%, 90-day half-life, ' +
  'a deal weighs log10(1 + amount) / 2, less the share of the money that returned to the buyer; a fifth at most from one owner; ' +
  'each task of a valid certificate weighs 1'
const HALF_LIFE = 90 * DAY
const MAX_SHARE = 0.2
const Z = 1.96
const WEIGHTS = { delivery: 0.5, onTime: 0.2, disputes: 0.2, certification: 0.1 } as const

export type Components = Record<keyof typeof WEIGHTS, number>

/** The weight of all evidence for a component, and of the part that is in favor of the agent. */
export interface Evidence {
  inFavor: number
  all: number
}

export interface Score {
  score: number
  components: Components
  evidence: Record<keyof Components, Evidence>
  sampleSize: number
  confidence: number
}

/** Counterparty -> the share of what it paid that came back to it, 0 to 1. */
export type ReturnedShares = ReadonlyMap<string, number>
const NOTHING: ReturnedShares = new Map()

/** What the score rests on beside the outcomes of deals. */
export interface Basis {
  returned?: ReturnedShares
  certificates?: readonly Certificate[]
}

/** Score 0-100 of the outcomes that count, as of `now`. Components are 0 to 1; without evidence all are 0. */
export function scoreOf(
  outcomes: readonly OutcomeRow[],
  now: Date,
  { returned = NOTHING, certificates = [] }: Basis = {},
): Score {
  const weights = weightsOf(outcomes, now, returned)
  const sumWhere = (test: (outcome: OutcomeRow) => boolean) =>
    outcomes.reduce((sum, outcome, index) => sum + (test(outcome) ? (weights[index]?.weight ?? 0) : 0), 0)
  const all = sumWhere(() => true)
  const completed = sumWhere(outcome => outcome.outcome === 'COMPLETED')
  const evidence = {
    delivery: { inFavor: completed, all },
    onTime: {
      inFavor: sumWhere(outcome => outcome.outcome === 'COMPLETED' && outcome.onTime),
      all: completed,
    },
    disputes: { inFavor: sumWhere(outcome => !outcome.disputed), all },
    certification: evidenceOf(certificates, now),
  }
  const boundOf = (of: Evidence) => wilsonLowerBound(of.inFavor, of.all)
  const components: Components = {
    delivery: boundOf(evidence.delivery),
    onTime: boundOf(evidence.onTime),
    disputes: boundOf(evidence.disputes),
    certification: boundOf(evidence.certification),
  }
  const total = (Object.keys(WEIGHTS) as (keyof Components)[]).reduce(
    (sum, name) => sum + WEIGHTS[name] * components[name],
    0,
  )
  return {
    score: Math.round(100 * total),
    components: mapped(components, round),
    evidence: mapped(evidence, of => mapped(of, round)),
    sampleSize: outcomes.length,
    confidence: round(all / (all + Z * Z)),
  }
}

/** Lower end of the 95 % interval of a rate seen as `good` out of `all` (Wilson 1927); both may be fractional. */
export function wilsonLowerBound(good: number, all: number): number {
  if (all <= 0) return 0
  const rate = Math.min(1, good / all)
  const spread = Z * Math.sqrt((rate * (1 - rate) + (Z * Z) / (4 * all)) / all)
  return Math.max(0, (rate + (Z * Z) / (2 * all) - spread) / (1 + (Z * Z) / all))
}

const ageFactor = (at: Date, now: Date): number =>
  0.5 ** (Math.max(0, now.getTime() - at.getTime()) / HALF_LIFE)

/** The weight of each task of a certificate: half of it every 90 days. */
export const weightOfCertificate = ({ verifiedAt }: Certificate, now: Date): number =>
  ageFactor(verifiedAt, now)

function evidenceOf(certificates: readonly Certificate[], now: Date): Evidence {
  const sum = (count: (certificate: Certificate) => number) =>
    certificates.reduce((total, each) => total + count(each) * weightOfCertificate(each, now), 0)
  return { inFavor: sum(({ passedTasks }) => passedTasks), all: sum(({ tasks }) => tasks) }
}

/** A deal of 99 USD weighs 1, one of 9,999 USD 2, dust next to nothing. `amount` in micro-units. */
const weightOfAmount = (amount: bigint): number => Math.log10(1 + Number(amount) / Number(MICRO)) / 2

/** What an outcome weighs, and the factors (0 to 1) that made it weigh less than its amount. */
export interface Weight {
  weight: number
  factors: Record<'AGE' | 'MONEY_RETURNED' | 'COUNTERPARTY_SHARE', number>
}

/**
 * By amount, half of it every 90 days. Of a completion counts the share of the money that did not return to the buyer;
 * a failure counts in full, or a seller could buy it off. Then no counterparty brings more than a fifth of all weight
 * before that cut.
 */
export function weightsOf(
  outcomes: readonly OutcomeRow[],
  now: Date,
  returned: ReturnedShares = NOTHING,
): Weight[] {
  const own = outcomes.map(({ amount, at, outcome, counterpartyAccountId: id }) => {
    const age = ageFactor(at, now)
    const unreturned = outcome === 'COMPLETED' ? 1 - (returned.get(id) ?? 0) : 1
    return { id, age, unreturned, weight: weightOfAmount(amount) * age * unreturned }
  })
  const most = MAX_SHARE * own.reduce((sum, { weight }) => sum + weight, 0)
  const perCounterparty = new Map<string, number>()
  for (const { id, weight } of own) perCounterparty.set(id, (perCounterparty.get(id) ?? 0) + weight)
  return own.map(({ id, age, unreturned, weight }) => {
    const share = Math.min(1, most / (perCounterparty.get(id) || 1))
    return {
      weight: weight * share,
      factors: { AGE: age, MONEY_RETURNED: unreturned, COUNTERPARTY_SHARE: share },
    }
  })
}

export const round = (value: number): number => Math.round(value * 1000) / 1000
const mapped = <Key extends string, From, To>(record: Record<Key, From>, map: (value: From) => To) =>
  Object.fromEntries(Object.entries<From>(record).map(([name, value]) => [name, map(value)])) as Record<
    Key,
    To
  >
