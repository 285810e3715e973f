import { Extractor } from '../../server/modules/gateway/routing/features.ts'
import { kindOf, TASK_KINDS, type TaskKind } from '../../server/modules/gateway/routing/kind.ts'
import { readConversation } from '../../server/modules/gateway/routing/text.ts'
import { aiq, foldsOf, type Point } from './measures.ts'
import { fitTo, predict, type PreparedExample } from './training.ts'

const FOLDS = 5
/** Weights of the cost, from quality alone to cost alone. */
const LAMBDAS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]
/** Tokens of an answer, and characters of a token, in the estimate of costs: the data has no counts. */
const ANSWER = 200
const CHARACTERS = 4

interface Policy {
  policy: string
  aiq: number
  best: number
}
type Prices = Readonly<Record<string, { input: number; output: number }>>

/**
 * AIQ of stage 2's utility with quality by kind of task, as deployed, and with quality predicted for each prompt, beside the
 * best single model, a random mixture of the models and an oracle that knows all answers.
 */
export function measureAiq(rows: readonly PreparedExample[], prices: Prices): Policy[] {
  const models = Object.keys(rows[0]?.example.scores ?? {}).filter(model => prices[model])
  const cost = (row: number, model: string) => {
    const price = prices[model] ?? { input: 0, output: 0 }
    const input = (rows[row]?.example.prompt.length ?? 0) / CHARACTERS
    return (input * price.input + ANSWER * price.output) / 1e6
  }
  const truth = (row: number, model: string) => rows[row]?.example.scores?.[model] ?? 0
  const means = models.map(model => pointOf(rows, () => model, { cost, truth }))
  const range = {
    from: Math.min(...means.map(each => each.cost)),
    to: Math.max(...means.map(each => each.cost)),
  }
  const dearest = (row: number) => Math.max(...models.map(model => cost(row, model)))
  const curve = (quality: (row: number, model: string) => number) =>
    LAMBDAS.map(lambda =>
      pointOf(
        rows,
        row => {
          const utility = (model: string) => quality(row, model) - (lambda * cost(row, model)) / dearest(row)
          return models.reduce((best, model) => (utility(model) > utility(best) ? model : best))
        },
        { cost, truth },
      ),
    )
  const measured = (policy: string, points: readonly Point[]): Policy => ({
    policy,
    aiq: aiq(points, range),
    best: Math.max(...points.map(each => each.quality)),
  })
  const single = means.reduce((best, each) => (each.quality > best.quality ? each : best))
  const average = means.reduce((sum, each) => sum + each.quality, 0) / means.length
  return [
    { policy: 'Random mixture of all models', aiq: average, best: average },
    measured('Cheapest to best single model', [means.reduce((a, b) => (b.cost < a.cost ? b : a)), single]),
    measured('Quality by kind of task (as deployed)', curve(byKind(rows, models))),
    measured('Quality predicted for each prompt', curve(byPrompt(rows, models))),
    measured('Oracle', curve(truth)),
  ]
}

function pointOf(
  rows: readonly PreparedExample[],
  choose: (row: number) => string,
  { cost, truth }: Record<'cost' | 'truth', (row: number, model: string) => number>,
): Point {
  const point = { cost: 0, quality: 0 }
  rows.forEach((_, row) => {
    const model = choose(row)
    point.cost += cost(row, model) / rows.length
    point.quality += truth(row, model) / rows.length
  })
  return point
}

/** The mean score of each model for the kind of task, in the other folds. */
function byKind(rows: readonly PreparedExample[], models: readonly string[]) {
  const folds = foldsOf(rows.length, FOLDS, 1)
  const extractor = new Extractor()
  const kinds = rows.map(({ example }): TaskKind => {
    const { text } = readConversation([{ role: 'user', content: example.prompt }])
    extractor.extract(text)
    return kindOf(text, extractor)
  })
  const tables = Array.from({ length: FOLDS }, (_, fold) =>
    Object.fromEntries(
      TASK_KINDS.map(kind => {
        const own = rows.filter((_, row) => folds[row] !== fold && kinds[row] === kind)
        const meanOf = (model: string) =>
          own.reduce((sum, { example }) => sum + (example.scores?.[model] ?? 0), 0) / Math.max(1, own.length)
        return [kind, Object.fromEntries(models.map(model => [model, meanOf(model)]))]
      }),
    ),
  )
  return (row: number, model: string) => tables[folds[row] ?? 0]?.[kinds[row] ?? 'chat']?.[model] ?? 0
}

/** The score of each model that the features of stage 1 predict, fitted on the other folds. */
function byPrompt(rows: readonly PreparedExample[], models: readonly string[]) {
  const folds = foldsOf(rows.length, FOLDS, 1)
  const predictions = new Map<string, number[]>()
  for (const model of models) {
    const values = rows.map(() => 0)
    for (let fold = 0; fold < FOLDS; fold++) {
      const fitted = fitTo(
        rows.filter((_, row) => folds[row] !== fold),
        example => example.scores?.[model] ?? 0,
      )
      rows.forEach(({ example }, row) => {
        if (folds[row] === fold) values[row] = predict(fitted, example.prompt)
      })
    }
    predictions.set(model, values)
  }
  return (row: number, model: string) => predictions.get(model)?.[row] ?? 0
}
