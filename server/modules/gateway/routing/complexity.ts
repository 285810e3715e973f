import type { ChatMessage } from '../core/chat.ts'
import type { Complexity } from '../core/routing.ts'
import { DENSE_NAMES, Extractor } from './features.ts'
import { kindOf, type TaskKind } from './kind.ts'
import { evaluate, type Evaluation, type Fitted } from './linear.ts'
import { readConversation } from './text.ts'
import { readWeights } from './weights.ts'

/** How many features explain a score. */
const EXPLAINED = 5

export interface Assessment {
  complexity: Complexity
  kind: TaskKind
}

/** Stage 1: how hard a conversation is, by a linear model of its text, and what kind of task it is. */
export class Assessor {
  #loaded: { extractor: Extractor; weights: Fitted } | undefined

  assess(messages: readonly ChatMessage[]): Assessment {
    const { text, length, turns, toolResults } = readConversation(messages)
    // Weights and tables are read for the first request: an idle service needs no memory for them.
    this.#loaded ??= { extractor: new Extractor(), weights: readWeights() }
    const { extractor, weights } = this.#loaded
    extractor.extract(text, { length, turns, toolResults })
    const evaluation = evaluate(weights, extractor)
    return {
      complexity: { score: scoreOf(evaluation.value), features: explain(evaluation) },
      kind: kindOf(text, extractor),
    }
  }
}

/**
 * A logistic curve that keeps the order of the values. Its two constants place the best cuts between the labelled tiers, by
 * cross-validation 0.38 and 0.57, at the default thresholds of 0.35 and 0.7.
 */
export const scoreOf = (value: number): number => 1 / (1 + Math.exp(-7.7 * (value - 0.46)))

/** Names only: words of the prompt do not leave the decision. */
function explain({ dense, vocabulary }: Evaluation): Complexity['features'] {
  const top: { name: string; weight: number }[] = [{ name: 'vocabulary', weight: vocabulary }]
  dense.forEach((weight, index) => {
    if (weight !== 0) top.push({ name: DENSE_NAMES[index] ?? '', weight })
  })
  return top
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
    .slice(0, EXPLAINED)
    .map(({ name, weight }) => ({ name, weight: Math.round(weight * 10_000) / 10_000 }))
}
