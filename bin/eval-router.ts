// Measures the gateway's router and prints the tables of docs/gateway.md: npm run eval:router
// ROUTER_DATA names the folder of the data (../shared/data/router).
import { measureAiq } from './router/aiq.ts'
import { readPrices, readSets, SETS, type Example, type SetName } from './router/data.ts'
import { apgr, concordance, cpt, foldsOf } from './router/measures.ts'
import { decisionTimes } from './router/speed.ts'
import { fit, predict, prepare, type PreparedExample } from './router/training.ts'
import { scoreOf } from '../server/modules/gateway/routing/complexity.ts'
import { DEFAULT_CONFIG } from '../server/modules/gateway/core/key.ts'

const SEEDS = [1, 2, 3]
const FOLDS = 5
const NAMES: Record<SetName, string> = {
  mmlu: 'MMLU',
  gsm8k: 'GSM8K',
  mix: 'Nine-model mix',
  contest: 'LiveCodeBench',
  tiers: 'Labelled tiers',
}
/** What each column has to reach. */
const TARGETS: Record<SetName, number> = { mmlu: 0.67, gsm8k: 0.66, mix: 0.76, contest: 0.72, tiers: 0.8 }
const OUT_OF_DOMAIN_TARGET = 0.6
const PAIRED = ['mmlu', 'gsm8k', 'mix'] as const

type Scores = Record<SetName, number[]>
const sets = await readSets()
const prepared = SETS.flatMap(set => prepare(sets[set]))

/** Each prompt scored by a model that was fitted without it. */
function crossValidate(rows: readonly PreparedExample[], seed: number): Scores {
  const folds = foldsOf(rows.length, FOLDS, seed)
  const scores = emptyScores()
  const byRow = new Map<PreparedExample, number>()
  for (let fold = 0; fold < FOLDS; fold++) {
    const held = rows.filter((_, index) => folds[index] === fold)
    const heldPrompts = new Set(held.map(({ example }) => example.prompt))
    const model = fit(
      rows.filter(({ example }, index) => folds[index] !== fold && !heldPrompts.has(example.prompt)),
    )
    for (const row of held) byRow.set(row, predict(model, row.example.prompt))
  }
  for (const row of rows) scores[row.example.set].push(byRow.get(row) ?? 0)
  return scores
}

function emptyScores(): Scores {
  return { mmlu: [], gsm8k: [], mix: [], contest: [], tiers: [] }
}

/** Each set scored by a model that was fitted on the other sets only. */
function outOfDomain(): Scores {
  const scores = emptyScores()
  for (const set of PAIRED) {
    const own = new Set(sets[set].map(({ prompt }) => prompt))
    const model = fit(prepared.filter(({ example }) => example.set !== set && !own.has(example.prompt)))
    scores[set] = sets[set].map(({ prompt }) => predict(model, prompt))
  }
  return scores
}

const pairsOf = (examples: readonly Example[]) =>
  examples.map(({ weak = 0, strong = 0 }) => ({ weak, strong }))
const ranksOf = (examples: readonly Example[]) => examples.map(({ rank = 0 }) => rank)
const lengthsOf = (examples: readonly Example[]) => examples.map(({ prompt }) => prompt.length)

/** Share of the labelled prompts whose score takes the tier of their label, with the default thresholds. */
function tierAccuracy(scores: readonly number[]): number {
  const { mid, premium } = DEFAULT_CONFIG.thresholds
  const ranks = ranksOf(sets.tiers)
  const right = scores.filter(
    (score, index) => (score >= premium ? 2 : score >= mid ? 1 : 0) === ranks[index],
  )
  return right.length / scores.length
}

/** The same with prompt length and the best two limits, which favors the baseline. */
function tierAccuracyOfLength(): number {
  const lengths = lengthsOf(sets.tiers)
  const ranks = ranksOf(sets.tiers)
  let best = 0
  for (let low = 10; low < 200; low += 5)
    for (let high = low; high < 400; high += 5) {
      const right = lengths.filter(
        (length, index) => (length >= high ? 2 : length >= low ? 1 : 0) === ranks[index],
      )
      best = Math.max(best, right.length / lengths.length)
    }
  return best
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value / values.length, 0)
/** A measure of the cross-validated scores of a set, in the mean of all seeds. */
const meanOf = (set: SetName, measure: (scores: readonly number[]) => number) =>
  mean(joint.map(scores => measure(scores[set])))

const show = (value: number) => value.toFixed(3)
const verdict = (value: number, target: number) =>
  value >= target ? `>= ${target}` : `misses ${target} by ${show(target - value)}`

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}\n`)
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
}

const joint = SEEDS.map(seed => crossValidate(prepared, seed))
const separate = (set: SetName) => {
  const own = prepared.filter(({ example }) => example.set === set)
  return SEEDS.map(seed => crossValidate(own, seed)[set])
}
const foreign = outOfDomain()

table(
  `APGR in-domain, ${FOLDS}-fold cross-validation, mean of ${SEEDS.length} seeds (random: 0.5)`,
  [
    'Set',
    'Prompts',
    'Prompt length',
    'A model for each set',
    'Target',
    'One model for all sets (as deployed)',
    'Target',
  ],
  PAIRED.map(set => {
    const pairs = pairsOf(sets[set])
    const own = mean(separate(set).map(scores => apgr(scores, pairs)))
    const all = meanOf(set, scores => apgr(scores, pairs))
    return [
      NAMES[set],
      String(pairs.length),
      show(apgr(lengthsOf(sets[set]), pairs)),
      show(own),
      verdict(own, TARGETS[set]),
      show(all),
      verdict(all, TARGETS[set]),
    ]
  }),
)
table(
  'APGR out of domain: fitted on all other sets',
  ['Set', 'Prompt length', 'Model', 'Target'],
  PAIRED.map(set => {
    const pairs = pairsOf(sets[set])
    const value = apgr(foreign[set], pairs)
    return [
      NAMES[set],
      show(apgr(lengthsOf(sets[set]), pairs)),
      show(value),
      verdict(value, OUT_OF_DOMAIN_TARGET),
    ]
  }),
)
table(
  'CPT: least share of calls of the strong model (one model for all sets, cross-validated)',
  ['Set', 'CPT(50 %)', 'by length', 'CPT(80 %)', 'by length'],
  PAIRED.map(set => {
    const pairs = pairsOf(sets[set])
    const lengths = lengthsOf(sets[set])
    return [
      NAMES[set],
      ...[0.5, 0.8].flatMap(goal => [
        show(meanOf(set, scores => cpt(scores, pairs, goal))),
        show(cpt(lengths, pairs, goal)),
      ]),
    ]
  }),
)
const accuracy = meanOf('tiers', scores => tierAccuracy(scores.map(scoreOf)))
const order = meanOf('contest', scores => concordance(scores, ranksOf(sets.contest)))
table(
  'Labels (one model for all sets, cross-validated)',
  ['Measure', 'Prompts', 'Prompt length', 'Model', 'Target'],
  [
    [
      'Tier accuracy',
      String(sets.tiers.length),
      show(tierAccuracyOfLength()),
      show(accuracy),
      verdict(accuracy, TARGETS.tiers),
    ],
    [
      'LiveCodeBench pairwise concordance',
      String(sets.contest.length),
      show(concordance(lengthsOf(sets.contest), ranksOf(sets.contest))),
      show(order),
      verdict(order, TARGETS.contest),
    ],
  ],
)
table(
  'Stage 2: AIQ on the nine-model mix, cross-validated',
  ['Policy', 'AIQ', 'Quality at its best point'],
  measureAiq(
    prepared.filter(({ example }) => example.set === 'mix'),
    await readPrices(),
  ).map(({ policy, aiq, best }) => [policy, show(aiq), show(best)]),
)
const times = decisionTimes()
table(
  'Decision at 8 KB, in ms',
  ['p50', 'p99', 'Target'],
  [
    [
      times.p50.toFixed(3),
      times.p99.toFixed(3),
      times.p99 <= 0.2 ? '<= 0.2' : `misses 0.2 by ${(times.p99 - 0.2).toFixed(3)}`,
    ],
  ],
)
