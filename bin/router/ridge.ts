import { standardize, type Fitted } from '../../server/modules/gateway/routing/linear.ts'
import { DENSE_NAMES, FORMS, SLOTS, type Extractor } from '../../server/modules/gateway/routing/features.ts'

/** Features of one text, as the extractor gives them. */
export interface FeatureRow {
  form: number
  dense: Float64Array
  trigrams: Uint32Array
  bigrams: Uint32Array
}
export interface TrainingRow extends FeatureRow {
  target: number
  weight: number
}
export interface Penalties {
  ridge: number
  /** Factor of the penalty of dense features in every form: with it each form is fitted almost by itself. */
  shared: number
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
const SHARED = FORMS.length
const BY_FORM = SHARED + F
const TRIGRAMS = BY_FORM + FORMS.length * F
const BIGRAMS = TRIGRAMS + SLOTS
const SIZE = BIGRAMS + SLOTS

/** A row whose dense values are standardized. */
interface Prepared {
  row: TrainingRow
  /** The same dense values among all texts, and among those of the form. */
  shared: Float64Array
  own: Float64Array
  trigramScale: number
  bigramScale: number
}

/** Weighted ridge regression by conjugate gradients: about 130,000 weights, each with a penalty of its group. */
export function fitRidge(rows: readonly TrainingRow[], penalties: Penalties): Fitted {
  const overall = momentsOf(rows)
  const moments = FORMS.map((_, form) => {
    const own = rows.filter(row => row.form === form)
    return own.length >= FEWEST_ROWS ? momentsOf(own) : overall
  })
  const mean = concat([overall, ...moments].map(each => each.mean))
  const deviation = concat([overall, ...moments].map(each => each.deviation))
  const rarity = rarityOf(rows)
  const denseScale = Math.sqrt(penalties.dense / F)
  const prepared = rows.map((row): Prepared => ({
    row,
    shared: standardize({ mean, deviation }, row.dense, 0).map(value => value * denseScale),
    own: standardize({ mean, deviation }, row.dense, row.form + 1).map(value => value * denseScale),
    trigramScale: Math.sqrt(penalties.trigrams / Math.max(1, row.trigrams.length)),
    bigramScale: Math.sqrt(penalties.bigrams / Math.max(1, row.bigrams.length)),
  }))
  const weights = solve(prepared, rarity, penalties)
  return {
    mean,
    deviation,
    bias: weights.slice(0, SHARED),
    dense: weights.slice(SHARED, TRIGRAMS).map(value => value * denseScale),
    trigrams: rarity.map((value, slot) => value * weights[TRIGRAMS + slot]! * Math.sqrt(penalties.trigrams)),
    bigrams: weights.slice(BIGRAMS).map(value => value * Math.sqrt(penalties.bigrams)),
  }
}

/** A form with fewer examples is standardized as all examples together. */
const FEWEST_ROWS = 100

const concat = (parts: readonly Float64Array[]): Float64Array =>
  Float64Array.from(parts.flatMap(part => [...part]))

function momentsOf(rows: readonly TrainingRow[]) {
  const mean = new Float64Array(F)
  const deviation = new Float64Array(F)
  for (const { dense } of rows) for (let j = 0; j < F; j++) mean[j]! += dense[j]! / rows.length
  for (const { dense } of rows)
    for (let j = 0; j < F; j++) deviation[j]! += (dense[j]! - mean[j]!) ** 2 / rows.length
  return { mean, deviation: deviation.map(value => Math.sqrt(value) || 1) }
}

/** Inverse document frequency of each trigram, about 1 in the mean: rare trigrams distinguish, frequent ones are in every text. */
function rarityOf(rows: readonly TrainingRow[]): Float64Array {
  const byForm = FORMS.map(() => new Float64Array(SLOTS))
  const sizes = FORMS.map((_, form) => rows.filter(row => row.form === form).length)
  for (const { form, trigrams } of rows) for (const slot of trigrams) byForm[form]![slot]!++
  return new Float64Array(SLOTS).map((_, slot) => {
    const counts = byForm.map(each => each[slot]!)
    const count = Math.max(...counts)
    return count < 2 ? 0 : Math.log(sizes[counts.indexOf(count)]! / count) / 2
  })
}

/** Solves (X'WX + ridge) w = X'Wy; each direction is divided by the diagonal, for the groups differ in size. */
function solve(rows: readonly Prepared[], rarity: Float64Array, penalties: Penalties): Float64Array {
  const { ridge } = penalties
  const penalty = new Float64Array(SIZE).map((_, j) =>
    j < SHARED ? 1e-3 : j < BY_FORM ? ridge * penalties.shared : ridge,
  )
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
  const { row, shared, own } = each
  const at = BY_FORM + row.form * F
  let sum = vector[row.form]!
  for (let j = 0; j < F; j++) sum += shared[j]! * vector[SHARED + j]! + own[j]! * vector[at + j]!
  let part = 0
  for (const slot of row.trigrams) part += vector[TRIGRAMS + slot]! * rarity[slot]!
  sum += part * each.trigramScale
  part = 0
  for (const slot of row.bigrams) part += vector[BIGRAMS + slot]!
  return sum + part * each.bigramScale
}

function scatter(vector: Float64Array, each: Prepared, rarity: Float64Array, value: number): void {
  const { row, shared, own } = each
  const at = BY_FORM + row.form * F
  vector[row.form]! += value
  for (let j = 0; j < F; j++) {
    vector[SHARED + j]! += value * shared[j]!
    vector[at + j]! += value * own[j]!
  }
  const trigram = value * each.trigramScale
  for (const slot of row.trigrams) vector[TRIGRAMS + slot]! += trigram * rarity[slot]!
  const bigram = value * each.bigramScale
  for (const slot of row.bigrams) vector[BIGRAMS + slot]! += bigram
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!
  return sum
}
