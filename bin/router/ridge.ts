import { standardize, type Fitted } from '../../server/modules/gateway/routing/linear.ts'
import { DENSE_NAMES, FORMS, SLOTS, type Extractor } from '../../server/modules/gateway/routing/features.ts'
import { dot, transferable } from './transfer.ts'

/** Features of one text, as the extractor gives them. */
export interface FeatureRow {
  form: number
  dense: Float64Array
  trigrams: Uint32Array
  bigrams: Uint32Array
}
export interface TrainingRow extends FeatureRow {
  /** Where the example is from: what transfers is what sets agree on, among prompts of one task. */
  set: string
  task: string
  target: number
  weight: number
}
/** Moments of the dense features. */
export interface Moments {
  mean: Float64Array
  deviation: Float64Array
}
export interface Penalties {
  ridge: number
  /** Variance of all dense features together, against 1 of the trigrams. */
  dense: number
  bigrams: number
  trigrams: number
}

export const copyRow = (extractor: Extractor): FeatureRow => ({
  form: extractor.form,
  dense: extractor.dense.slice(),
  trigrams: extractor.trigrams.slots.slice(0, extractor.trigrams.size),
  bigrams: extractor.bigrams.slots.slice(0, extractor.bigrams.size),
})

const F = DENSE_NAMES.length
const DENSE = FORMS.length
const TRIGRAMS = DENSE + FORMS.length * F
const BIGRAMS = TRIGRAMS + FORMS.length * SLOTS
const SIZE = BIGRAMS + FORMS.length * SLOTS

/** A row with its dense values standardized among those of its form. */
export interface StandardizedRow {
  row: TrainingRow
  dense: Float64Array
}
interface Prepared extends StandardizedRow {
  trigramScale: number
  bigramScale: number
}

/**
 * Weighted ridge regression by conjugate gradients: about a million weights, each with a penalty of its group. Every form is
 * fitted by itself; one with few examples is scored by what transfers among the sets.
 */
export function fitRidge(rows: readonly TrainingRow[], penalties: Penalties): Fitted {
  const overall = momentsOf(rows)
  const byForm = FORMS.map((_, form) => rows.filter(row => row.form === form))
  const isKnown = byForm.map(own => own.reduce((sum, { weight }) => sum + weight, 0) >= FEWEST_ROWS)
  const moments = byForm.map(own => (own.length >= FEWEST_ROWS ? momentsOf(own) : overall))
  const standardized = rows.map(row => ({ row, dense: standardize(moments[row.form]!, row.dense) }))
  const general = transferable(standardized)
  const rarity = rarityOf(rows)
  const denseScale = Math.sqrt(penalties.dense / F)
  const prepared = standardized
    .filter(({ row }) => isKnown[row.form])
    .map(({ row, dense }): Prepared => ({
      row,
      dense: dense.map(value => value * denseScale),
      trigramScale: Math.sqrt(penalties.trigrams / Math.max(1, row.trigrams.length)),
      bigramScale: Math.sqrt(penalties.bigrams / Math.max(1, row.bigrams.length)),
    }))
  const weights = solve(prepared, rarity, penalties)
  const mean = rows.reduce((sum, { target }) => sum + target / rows.length, 0)
  return {
    mean: concat(moments.map(each => each.mean)),
    deviation: concat(moments.map(each => each.deviation)),
    bias: weights.slice(0, DENSE).map((bias, form) => (isKnown[form] ? bias : mean)),
    dense: weights
      .slice(DENSE, TRIGRAMS)
      .map((value, at) => (isKnown[Math.floor(at / F)] ? value * denseScale : general[at % F]!)),
    trigrams: {
      scale: Math.sqrt(penalties.trigrams),
      steps: rarity.map((value, slot) => value * weights[TRIGRAMS + slot]!),
    },
    bigrams: { scale: Math.sqrt(penalties.bigrams), steps: weights.slice(BIGRAMS) },
  }
}

/** A form with fewer examples is standardized as all examples together, and has no weights of its own. */
const FEWEST_ROWS = 100

const concat = (parts: readonly Float64Array[]): Float64Array =>
  Float64Array.from(parts.flatMap(part => [...part]))

function momentsOf(rows: readonly TrainingRow[]): Moments {
  const mean = new Float64Array(F)
  const deviation = new Float64Array(F)
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  for (const { dense, weight } of rows) for (let j = 0; j < F; j++) mean[j]! += (weight * dense[j]!) / total
  for (const { dense, weight } of rows)
    for (let j = 0; j < F; j++) deviation[j]! += (weight * (dense[j]! - mean[j]!) ** 2) / total
  return { mean, deviation: deviation.map(value => Math.sqrt(value) || 1) }
}

/** Inverse document frequency of each trigram of a form, about 1 in the mean: rare ones distinguish, frequent ones are in every text. */
function rarityOf(rows: readonly TrainingRow[]): Float64Array {
  const counts = new Float64Array(FORMS.length * SLOTS)
  const sizes = FORMS.map((_, form) => rows.filter(row => row.form === form).length)
  for (const { form, trigrams } of rows) for (const slot of trigrams) counts[form * SLOTS + slot]!++
  return counts.map((count, at) => (count < 2 ? 0 : Math.log(sizes[Math.floor(at / SLOTS)]! / count) / 2))
}

/** Solves (X'WX + ridge) w = X'Wy; each direction is divided by the diagonal, for the groups differ in size. */
function solve(rows: readonly Prepared[], rarity: Float64Array, penalties: Penalties): Float64Array {
  const { ridge } = penalties
  const penalty = new Float64Array(SIZE).map((_, j) => (j < DENSE ? 1e-3 : ridge))
  const diagonal = penalty.slice()
  for (const { row } of rows) diagonal[row.form]! += row.weight
  const weights = new Float64Array(SIZE)
  const residual = new Float64Array(SIZE)
  for (const each of rows) scatter(residual, each, rarity, each.row.target * each.row.weight)
  const direction = residual.map((value, j) => value / diagonal[j]!)
  const image = new Float64Array(SIZE)
  let norm = scaledNorm(residual, diagonal)
  const goal = norm * 1e-9
  for (let step = 0; step < 150 && norm > goal; step++) {
    for (let j = 0; j < SIZE; j++) image[j] = direction[j]! * penalty[j]!
    for (const each of rows) scatter(image, each, rarity, each.row.weight * gather(direction, each, rarity))
    const length = norm / dot(direction, image)
    for (let j = 0; j < SIZE; j++) {
      weights[j]! += length * direction[j]!
      residual[j]! -= length * image[j]!
    }
    const next = scaledNorm(residual, diagonal)
    const share = next / norm
    norm = next
    for (let j = 0; j < SIZE; j++) direction[j] = residual[j]! / diagonal[j]! + share * direction[j]!
  }
  return weights
}

function scaledNorm(residual: Float64Array, diagonal: Float64Array): number {
  let sum = 0
  for (let j = 0; j < SIZE; j++) sum += (residual[j]! * residual[j]!) / diagonal[j]!
  return sum
}

function gather(vector: Float64Array, each: Prepared, rarity: Float64Array): number {
  const { row, dense } = each
  const at = DENSE + row.form * F
  const base = row.form * SLOTS
  let sum = vector[row.form]!
  for (let j = 0; j < F; j++) sum += dense[j]! * vector[at + j]!
  let part = 0
  for (const slot of row.trigrams) part += vector[TRIGRAMS + base + slot]! * rarity[base + slot]!
  sum += part * each.trigramScale
  part = 0
  for (const slot of row.bigrams) part += vector[BIGRAMS + base + slot]!
  return sum + part * each.bigramScale
}

function scatter(vector: Float64Array, each: Prepared, rarity: Float64Array, value: number): void {
  const { row, dense } = each
  const at = DENSE + row.form * F
  const base = row.form * SLOTS
  vector[row.form]! += value
  for (let j = 0; j < F; j++) vector[at + j]! += value * dense[j]!
  const trigram = value * each.trigramScale
  for (const slot of row.trigrams) vector[TRIGRAMS + base + slot]! += trigram * rarity[base + slot]!
  const bigram = value * each.bigramScale
  for (const slot of row.bigrams) vector[BIGRAMS + base + slot]! += bigram
}
