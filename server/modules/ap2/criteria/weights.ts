import { invalid } from '#platform/kernel/errors'
import type { Outcome } from '../deal/rows.ts'
import type { Criterion } from './criterion.ts'

const WHOLE_BPS = 10_000

/** What a decision by criteria gives the seller: the share of the weights of the criteria that did not fail. */
export interface CriteriaSplit {
  sellerBps: number
  failed: string[]
}

/** The split for failed criteria, rounded down to a basis point. */
export function splitByCriteria(criteria: readonly Criterion[], failed: readonly string[]): CriteriaSplit {
  const weightOf = (list: readonly Criterion[]) => list.reduce((sum, { weight }) => sum + weight, 0)
  const met = criteria.filter(({ key }) => !failed.includes(key))
  return {
    sellerBps: Math.floor((weightOf(met) * WHOLE_BPS) / weightOf(criteria)),
    failed: criteria.filter(({ key }) => failed.includes(key)).map(({ key }) => key),
  }
}

/** A share as the outcome of a resolution: all or nothing is no split. */
export function outcomeOf(sellerBps: number): { outcome: Outcome; sellerBps?: number } {
  if (sellerBps === 0) return { outcome: 'REFUND' }
  return sellerBps === WHOLE_BPS ? { outcome: 'RELEASE' } : { outcome: 'SPLIT', sellerBps }
}

/** 400 unless each key is that of an agreed criterion. Null for no keys. */
export function requireKnownKeys(
  criteria: readonly Criterion[] | null,
  keys: readonly string[] | undefined,
  field: string,
): string[] | null {
  if (!keys?.length) return null
  const known = (criteria ?? []).map(({ key }) => key)
  if (!known.length) throw invalid(`${field}: the deal has no acceptance criteria`)
  if (!keys.every(key => known.includes(key)))
    throw invalid(`${field} must be keys of acceptance criteria: ${known.join(', ')}`)
  return [...new Set(keys)]
}
