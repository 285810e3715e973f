import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

/** A prompt with what is known about how hard it is. */
export interface Example {
  set: SetName
  prompt: string
  task: string
  /** Whether the weak and the strong model of the set answered rightly, from 0 to 1; absent in sets without answers. */
  weak?: number
  strong?: number
  /** Order of the prompt within its set: the labelled tier, or the difficulty of the contest. */
  rank?: number
  scores?: Readonly<Record<string, number>>
}

export const SETS = ['mmlu', 'gsm8k', 'mix', 'contest', 'tiers'] as const
export type SetName = (typeof SETS)[number]

/** The model of the mix with the most word problems answered. */
export const MIX_BEST = 'llama-3.3-nemotron-super-49b-v1'
/** The pair of the nine-model mix: its cheapest model, and the one with the highest mean score. */
export const MIX_WEAK = 'gemma-2-9b-it'
export const MIX_STRONG = 'llama-3.1-nemotron-51b-instruct'

/** Ranks of the labels; COMPLEX and REASONING both belong to the premium tier. */
const TIER_RANKS: Readonly<Record<string, number>> = { SIMPLE: 0, MEDIUM: 1, COMPLEX: 2, REASONING: 2 }
const DIFFICULTY_RANKS: Readonly<Record<string, number>> = { easy: 0, medium: 1, hard: 2 }

const folder = process.env.ROUTER_DATA ?? '../shared/data/router'

interface Line {
  prompt: string
  task: string
  weak: number
  strong: number
  difficulty: string
  cheap: number
  dear: number
  expected_tier: string
  scores: Record<string, number>
}

async function lines(file: string): Promise<Line[]> {
  const text = await readFile(join(folder, file), 'utf8').catch((error: unknown) => {
    throw new Error(`Cannot read ${file}: set ROUTER_DATA to the folder of the data`, { cause: error })
  })
  return text
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}

/** All sets, each without repeated prompts. */
export async function readSets(): Promise<Record<SetName, Example[]>> {
  const [mmlu, gsm8k, mix, contest, tiers] = await Promise.all(
    ['mmlu', 'gsm8k', 'ulab-nine-models', 'livecodebench', 'uncommonroute-tiers'].map(name =>
      lines(`${name}.jsonl`),
    ),
  )
  const pairOf =
    (set: SetName) =>
    (line: Line): Example => ({ ...pick(line, set), weak: line.weak, strong: line.strong })
  return {
    mmlu: distinct(mmlu ?? [], pairOf('mmlu')),
    gsm8k: distinct(gsm8k ?? [], pairOf('gsm8k')),
    mix: distinct(mix ?? [], line => ({
      ...pick(line, 'mix'),
      scores: line.scores,
      weak: line.scores[MIX_WEAK] ?? 0,
      strong: line.scores[MIX_STRONG] ?? 0,
    })),
    contest: distinct(contest ?? [], line => ({
      ...pick(line, 'contest'),
      rank: DIFFICULTY_RANKS[line.difficulty] ?? 1,
    })),
    tiers: distinct(tiers ?? [], line => ({
      ...pick(line, 'tiers'),
      rank: TIER_RANKS[line.expected_tier] ?? 1,
    })),
  }
}

const pick = ({ prompt, task }: Line, set: SetName) => ({ set, prompt, task: task ?? set })

function distinct(rows: readonly Line[], exampleOf: (line: Line) => Example): Example[] {
  const seen = new Set<string>()
  return rows.filter(({ prompt }) => !seen.has(prompt) && seen.add(prompt)).map(exampleOf)
}

/** The names of the nine models, with their prices in USD per million tokens. */
export async function readPrices(): Promise<Record<string, { input: number; output: number }>> {
  const models: Record<string, { input_price: number; output_price: number }> = JSON.parse(
    await readFile(join(folder, 'ulab-models.json'), 'utf8'),
  )
  return Object.fromEntries(
    Object.entries(models).map(([name, each]) => [
      name,
      { input: each.input_price, output: each.output_price },
    ]),
  )
}
