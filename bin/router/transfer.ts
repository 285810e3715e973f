import { DENSE_NAMES } from '../../server/modules/gateway/routing/features.ts'
import type { StandardizedRow } from './ridge.ts'

const F = DENSE_NAMES.length

/**
 * What transfers to kinds of prompts that no set has: the direction of each dense feature on which the sets agree. In each
 * set a feature counts by the sign of its covariance with the target, both relative to the mean of the task, so that easy
 * and hard tasks of a set do not pass for easy and hard prompts. One vote for each set is robust: the strength of a feature
 * does not transfer. Returns weights of the standardized features, scaled to the targets by least squares.
 */
export function transferable(rows: readonly StandardizedRow[]): Float64Array {
  const sets = [...Map.groupBy(rows, ({ row }) => row.set).values()]
  const votes = new Float64Array(F)
  for (const own of sets) covariances(own).forEach((value, j) => (votes[j]! += Math.sign(value)))
  // One set may abstain, for a feature that it does not have; none may disagree.
  const unanimity = Math.max(2, sets.length - 1)
  const directions = votes.map(vote => (Math.abs(vote) >= unanimity ? vote / sets.length : 0))
  return directions.map(direction => direction * scaleOf(directions, sets))
}

/** Of each feature with the target, within the tasks of a set. */
function covariances(rows: readonly StandardizedRow[]): Float64Array {
  const sums = new Float64Array(F)
  for (const own of Map.groupBy(rows, ({ row }) => `${row.task} ${row.form}`).values()) {
    const mean = own.reduce((sum, { row }) => sum + row.target / own.length, 0)
    for (const { row, dense } of own) for (let j = 0; j < F; j++) sums[j]! += dense[j]! * (row.target - mean)
  }
  return sums
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
