import { DENSE_NAMES } from '../../server/modules/gateway/routing/features.ts'
import type { StandardizedRow } from './ridge.ts'

const F = DENSE_NAMES.length

/** Penalty of the weights, beside a variance of about 1 of each standardized feature: the larger, the less they are shared. */
const RIDGE = 0.5
/** Sweeps of Gauss-Seidel: after 30 the weights have ten right digits. */
const SWEEPS = 100

/**
 * What transfers to kinds of prompts that no set has: the dense features on whose direction the sets agree. In each set a
 * feature counts by its correlation with the target, both relative to the mean of the task, so that easy and hard tasks of a
 * set do not pass for easy and hard prompts. How strong a feature is transfers only in part, so that the square root of the
 * mean correlation counts. Features that say the same, such as words and sentences, share their weight. Returns weights of
 * the standardized features, scaled to the targets by least squares.
 */
export function transferable(rows: readonly StandardizedRow[]): Float64Array {
  const sets = [...Map.groupBy(rows, ({ row }) => row.set).values()]
  const within = sets.map(relativeToTask)
  const correlations = within.map(correlationsWithTarget)
  // One set may abstain, for a feature that it does not have; none may disagree.
  const unanimity = Math.max(2, sets.length - 1)
  const agreed = Float64Array.from({ length: F }, (_, j) => {
    const vote = correlations.reduce((sum, each) => sum + Math.sign(each[j]!), 0)
    const strength = correlations.reduce((sum, each) => sum + Math.abs(each[j]!) / sets.length, 0)
    return Math.abs(vote) >= unanimity ? (vote / sets.length) * Math.sqrt(strength) : 0
  })
  const weights = shared(agreed, covariances(within))
  const scale = scaleOf(weights, sets)
  return weights.map(weight => weight * scale)
}

/** A row of a set without the mean of its task. */
interface CenteredRow {
  dense: Float64Array
  target: number
}

function relativeToTask(rows: readonly StandardizedRow[]): CenteredRow[] {
  return [...Map.groupBy(rows, ({ row }) => `${row.task} ${row.form}`).values()].flatMap(own => {
    const target = own.reduce((sum, { row }) => sum + row.target / own.length, 0)
    const means = new Float64Array(F)
    for (const { dense } of own) for (let j = 0; j < F; j++) means[j]! += dense[j]! / own.length
    return own.map(({ row, dense }) => ({
      dense: dense.map((value, j) => value - means[j]!),
      target: row.target - target,
    }))
  })
}

/** Of each feature; 0 for one that is the same in all rows. */
function correlationsWithTarget(rows: readonly CenteredRow[]): Float64Array {
  const products = new Float64Array(F)
  const squares = new Float64Array(F)
  let variance = 0
  for (const { dense, target } of rows) {
    variance += target * target
    for (let j = 0; j < F; j++) {
      products[j]! += dense[j]! * target
      squares[j]! += dense[j]! * dense[j]!
    }
  }
  return products.map((product, j) => (product === 0 ? 0 : product / Math.sqrt(variance * squares[j]!)))
}

/** Of the features with each other, in the mean of the sets. */
function covariances(sets: readonly (readonly CenteredRow[])[]): Float64Array[] {
  const matrix = Array.from({ length: F }, () => new Float64Array(F))
  for (const own of sets)
    for (const { dense } of own)
      for (let i = 0; i < F; i++)
        for (let j = 0; j < F; j++) matrix[i]![j]! += (dense[i]! * dense[j]!) / own.length / sets.length
  return matrix
}

/** Solves (covariance + ridge) w = agreed, among the features that the sets agree on. */
function shared(agreed: Float64Array, covariance: readonly Float64Array[]): Float64Array {
  const weights = new Float64Array(F)
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let i = 0; i < F; i++) {
      if (agreed[i] === 0) continue
      const own = covariance[i]!
      weights[i] = (agreed[i]! - dot(own, weights) + own[i]! * weights[i]!) / (own[i]! + RIDGE)
    }
  return weights
}

/** Least squares of the targets on the directions, relative to the mean of each set. */
function scaleOf(directions: Float64Array, sets: readonly (readonly StandardizedRow[])[]): number {
  let covariance = 0
  let variance = 0
  for (const own of sets) {
    const values = own.map(({ dense }) => dot(directions, dense))
    const mean = values.reduce((sum, value) => sum + value / own.length, 0)
    values.forEach((value, at) => {
      const { target, weight } = own[at]!.row
      covariance += weight * (value - mean) * target
      variance += weight * (value - mean) ** 2
    })
  }
  return variance > 0 ? covariance / variance : 0
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!
  return sum
}
