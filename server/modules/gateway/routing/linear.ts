import { DENSE_NAMES, type Extractor, type SlotSet } from './features.ts'

/** The weights of the linear model. */
export interface Fitted {
  /** Moments of the dense features: of all texts, then of the texts of each form. */
  mean: ArrayLike<number>
  deviation: ArrayLike<number>
  /** One for each form. */
  bias: ArrayLike<number>
  /** Weights of the dense features: in every form, then in each form. */
  dense: ArrayLike<number>
  trigrams: ArrayLike<number>
  bigrams: ArrayLike<number>
}

/** The value of the model, and what each dense feature and the n-grams contributed. */
export interface Evaluation {
  value: number
  dense: Float64Array
  vocabulary: number
}

const COUNT = DENSE_NAMES.length
/** No single feature decides: values further from the mean than this many standard deviations count as that many. */
const MOST_DEVIATIONS = 4

/** Dense values in standard deviations from a mean: group 0 is of all texts, group k + 1 of form k. */
export function standardize(
  { mean, deviation }: Pick<Fitted, 'mean' | 'deviation'>,
  dense: Float64Array,
  group: number,
): Float64Array {
  const values = new Float64Array(COUNT)
  for (let j = 0; j < COUNT; j++) {
    const at = group * COUNT + j
    const value = ((dense[j] ?? 0) - (mean[at] ?? 0)) / (deviation[at] ?? 1)
    values[j] = Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, value))
  }
  return values
}

export function evaluate(model: Fitted, { form, dense, trigrams, bigrams }: Extractor): Evaluation {
  const shared = standardize(model, dense, 0)
  const own = standardize(model, dense, form + 1)
  const ownAt = (form + 1) * COUNT
  const contributions = new Float64Array(COUNT)
  let value = model.bias[form] ?? 0
  for (let j = 0; j < COUNT; j++) {
    const contribution =
      (shared[j] ?? 0) * (model.dense[j] ?? 0) + (own[j] ?? 0) * (model.dense[ownAt + j] ?? 0)
    contributions[j] = contribution
    value += contribution
  }
  const vocabulary = weigh(model.trigrams, trigrams) + weigh(model.bigrams, bigrams)
  return { value: value + vocabulary, dense: contributions, vocabulary }
}

/** The sum of the weights, relative to the square root of their number: long texts weigh no more than short ones. */
function weigh(weights: ArrayLike<number>, { slots, size }: SlotSet): number {
  let sum = 0
  for (let i = 0; i < size; i++) sum += weights[slots[i] ?? 0] ?? 0
  return size > 0 ? sum / Math.sqrt(size) : 0
}
