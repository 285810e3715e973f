import { Extractor, FORMS } from '../../server/modules/gateway/routing/features.ts'
import { readConversation } from '../../server/modules/gateway/routing/text.ts'
import { evaluate, type Fitted } from '../../server/modules/gateway/routing/linear.ts'
import { MIX_BEST, type Example, type SetName } from './data.ts'
import { copyRow, fitRidge, type FeatureRow, type Penalties } from './ridge.ts'

/**
 * How examples of a set become targets on the scale of the score: `level` is the mean of the set, `scale` what one rank or one
 * right answer adds, `weight` that of each example. Only the labelled tiers fix the scale; the levels of the others are such
 * that a mean prompt takes the economy or the mid tier.
 */
const TARGETS: Readonly<Record<SetName, { level: number; scale: number; weight: number }>> = {
  mmlu: { level: 0.4, scale: 0.35, weight: 1 },
  gsm8k: { level: 0.4, scale: 0.35, weight: 1 },
  mix: { level: 0.4, scale: 0.7, weight: 1 },
  contest: { level: 0.75, scale: 0.2, weight: 2 },
  tiers: { level: 0.5, scale: 0.5, weight: 0.4 },
}
/** The rank of the middle tier, whose target is the level. */
const MIDDLE = 1
/** Word problems of the mix teach little about how strong the models of the other pair are. */
const MIX_WORD_PROBLEMS = 0.03

export const PENALTIES: Penalties = { ridge: 20, dense: 0.2, bigrams: 1, trigrams: 1 }

const extractor = new Extractor()

function extract(prompt: string): void {
  const { text, length, turns, toolResults } = readConversation([{ role: 'user', content: prompt }])
  extractor.extract(text, { length, turns, toolResults })
}

/** An example with its features. */
export interface PreparedExample {
  example: Example
  features: FeatureRow
}

export const prepare = (examples: readonly Example[]): PreparedExample[] =>
  examples.map(example => {
    extract(example.prompt)
    return { example, features: copyRow(extractor) }
  })

/** Word problems of the mix, which its pair of models answers alike. */
const isMixedWordProblem = ({ example, features }: PreparedExample): boolean =>
  example.set === 'mix' && FORMS[features.form] === 'quantity'

/** What stage 1 should learn of an example: its rank, or what the strong model gains over the weak one. */
const gainOf = ({ rank, weak = 0, strong = 0 }: Example): number => rank ?? strong - weak

/** What the best model of the mix gains over the mean of all. */
function spreadOf({ scores = {} }: Example): number {
  return (scores[MIX_BEST] ?? 0) - meanOf(Object.values(scores))
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value / values.length, 0)

/** The lesson of each example. Where the pair of the mix hardly differs, other models order the prompts around its mean. */
function lessonsOf(prepared: readonly PreparedExample[]): (row: PreparedExample) => number {
  const wordProblems = prepared.filter(isMixedWordProblem).map(({ example }) => example)
  const shift = meanOf(wordProblems.map(gainOf)) - meanOf(wordProblems.map(spreadOf))
  return row => (isMixedWordProblem(row) ? spreadOf(row.example) + shift : gainOf(row.example))
}

export function fit(prepared: readonly PreparedExample[], penalties = PENALTIES): Fitted {
  const lessonOf = lessonsOf(prepared)
  const means = new Map<SetName, number>([['tiers', MIDDLE]])
  for (const [set, rows] of Map.groupBy(prepared, ({ example }) => example.set))
    if (set !== 'tiers') means.set(set, meanOf(rows.map(lessonOf)))
  return fitRidge(
    prepared.map(row => {
      const { set, task } = row.example
      const { level, scale, weight } = TARGETS[set]
      return {
        ...row.features,
        set,
        task,
        target: level + scale * (lessonOf(row) - (means.get(set) ?? 0)),
        weight: weight * (isMixedWordProblem(row) ? MIX_WORD_PROBLEMS : 1),
      }
    }),
    penalties,
  )
}

/** Fits any value of the examples, with the same features. */
export const fitTo = (prepared: readonly PreparedExample[], valueOf: (example: Example) => number): Fitted =>
  fitRidge(
    prepared.map(({ example, features }) => ({
      ...features,
      set: example.set,
      task: example.task,
      target: valueOf(example),
      weight: 1,
    })),
    PENALTIES,
  )

export function predict(model: Fitted, prompt: string): number {
  extract(prompt)
  return evaluate(model, extractor).value
}
