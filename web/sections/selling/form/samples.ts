import type { Agent } from '../../../api/schema.d.ts'
import { isObject } from '../../market/json-schema.ts'
import { samplesOf, type Sample } from '../../market/samples-of.ts'
import type { Json } from './schema-draft.ts'

/** A sample as it is typed: words, or JSON where the agent takes or returns something else. */
export interface SampleDraft {
  input: string
  output: string
  /** What the API has, which is sent while its text is unchanged; absent for a new sample. */
  original?: Sample
}

type Side = keyof Sample
const SIDES = ['input', 'output'] as const

export const EMPTY_SAMPLE: SampleDraft = { input: '', output: '' }

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** All samples of an agent: those that no page shows too. */
export const sampleDraftsOf = (agent?: Agent): SampleDraft[] =>
  agent
    ? samplesOf(agent, Infinity).map(original => ({
        input: textOf(original.input),
        output: textOf(original.output),
        original,
      }))
    : []

/** The schema without its samples, which have an editor of their own; null if nothing else is left. */
export function withoutExamples(schema: unknown): Json | null {
  const { examples: _, ...rest } = isObject(schema) ? schema : {}
  return Object.keys(rest).length ? rest : null
}

/** The schema with one side of the samples. A sample without that side has an empty text there: the places must agree. */
export function withExamples(schema: Json | null, samples: readonly SampleDraft[], side: Side): Json | null {
  const values = samples
    .filter(sample => SIDES.some(each => valueOf(sample, each, schema) !== undefined))
    .map(sample => valueOf(sample, side, schema))
  const count = values.findLastIndex(value => value !== undefined) + 1
  const examples = values.slice(0, count).map(value => (value === undefined ? '' : value))
  return count ? { ...schema, examples } : schema
}

/** Types of values that nobody writes as words. */
const WRITTEN_AS_JSON = new Set<unknown>(['number', 'integer', 'boolean', 'null', 'array', 'object'])

/** What the text of one side stands for; undefined where there is none. */
function valueOf({ original, ...texts }: SampleDraft, side: Side, schema: Json | null): unknown {
  const before = original?.[side]
  if (before !== undefined && texts[side] === textOf(before)) return before
  const text = texts[side].trim()
  if (!text) return undefined
  // The schema of now decides first: the sample may be from another one.
  const mustBeJson = WRITTEN_AS_JSON.has(schema?.type)
  // An empty text only fills the place of a sample without this side.
  const wasText = typeof before === 'string' && before !== ''
  const isText = schema?.type === 'string' || (!mustBeJson && wasText)
  const wasJson = before !== undefined && typeof before !== 'string'
  if (isText || !(mustBeJson || wasJson || /^[[{]/.test(text))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
