import { Extractor, FORMS } from '../../server/modules/gateway/routing/features.ts'
import { readConversation } from '../../server/modules/gateway/routing/text.ts'
import { evaluate, type Fitted } from '../../server/modules/gateway/routing/linear.ts'
import type { Example, SetName } from './data.ts'
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
/** Word problems of the mix teach little: another pair of models, which hardly differs in them. */
const MIX_WORD_PROBLEMS = 0.03

export const PENALTIES: Penalties = { ridge: 20, shared: 50, dense: 0.2, bigrams: 1, trigrams: 1 }

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

/** What stage 1 should learn of an example: its rank, or what the strong model gains over the weak one. */
const lessonOf = ({ rank, weak = 0, strong = 0 }: Example): number => rank ?? strong - weak

export function fit(prepared: readonly PreparedExample[], penalties = PENALTIES): Fitted {
  const means = new Map<SetName, number>([['tiers', MIDDLE]])
  for (const [set, rows] of Map.groupBy(prepared, ({ example }) => example.set))
    if (set !== 'tiers')
      means.set(set, rows.reduce((sum, { example }) => sum + lessonOf(example), 0) / rows.length)
  return fitRidge(
    prepared.map(({ example, features }) => {
      const { level, scale, weight } = TARGETS[example.set]
      const isMixedWordProblem = example.set === 'mix' && FORMS[features.form] === 'quantity'
      return {
        ...features,
        target: level + scale * (lessonOf(example) - (means.get(example.set) ?? 0)),
        weight: weight * (isMixedWordProblem ? MIX_WORD_PROBLEMS : 1),
      }
    }),
    penalties,
  )
}

/** Fits any value of the examples, with the same features. */
export const fitTo = (prepared: readonly PreparedExample[], valueOf: (example: Example) => number): Fitted =>
  fitRidge(
    prepared.map(({ example, features }) => ({ ...features, target: valueOf(example), weight: 1 })),
    PENALTIES,
  )

export function predict(model: Fitted, prompt: string): number {
  extract(prompt)
  return evaluate(model, extractor).value
}
