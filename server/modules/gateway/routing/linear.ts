import { DENSE_NAMES, SLOTS, type Extractor, type SlotSet } from './features.ts'

/** The weights of the linear model. Every form has its own, in the order of `FORMS`: the same words mean something else in each. */
export interface Fitted {
  mean: ArrayLike<number>
  deviation: ArrayLike<number>
  bias: ArrayLike<number>
  dense: ArrayLike<number>
  trigrams: Vocabulary
  bigrams: Vocabulary
}

/** Weights of n-grams, `SLOTS` for each form, in steps of `scale`. */
export interface Vocabulary {
  scale: number
  steps: ArrayLike<number>
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

/** Dense values in standard deviations from the mean; `form` selects among moments of several forms. */
export function standardize(
  { mean, deviation }: Pick<Fitted, 'mean' | 'deviation'>,
  dense: Float64Array,
  form = 0,
): Float64Array {
  const values = new Float64Array(COUNT)
  for (let j = 0; j < COUNT; j++) {
    const at = form * COUNT + j
    const value = ((dense[j] ?? 0) - (mean[at] ?? 0)) / (deviation[at] ?? 1)
    values[j] = Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, value))
  }
  return values
}

export function evaluate(model: Fitted, { form, dense, trigrams, bigrams }: Extractor): Evaluation {
  const contributions = standardize(model, dense, form)
  let value = model.bias[form] ?? 0
  for (let j = 0; j < COUNT; j++) {
    contributions[j] = (contributions[j] ?? 0) * (model.dense[form * COUNT + j] ?? 0)
    value += contributions[j] ?? 0
  }
  const vocabulary = weigh(model.trigrams, trigrams, form) + weigh(model.bigrams, bigrams, form)
  return { value: value + vocabulary, dense: contributions, vocabulary }
}

/** The sum of the weights, relative to the square root of their number: long texts weigh no more than short ones. */
function weigh({ scale, steps }: Vocabulary, { slots, size }: SlotSet, form: number): number {
  let sum = 0
  for (let i = 0; i < size; i++) sum += steps[form * SLOTS + (slots[i] ?? 0)] ?? 0
  return size > 0 ? (scale * sum) / Math.sqrt(size) : 0
}
