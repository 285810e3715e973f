import type { Agent } from '../../../api/schema.d.ts'
import { isObject } from '../../market/json-schema.ts'
import { samplesOf } from '../../market/samples-of.ts'

/** A sample as it is typed: words, or JSON where the agent takes or returns fields. */
export interface SampleDraft {
  input: string
  output: string
}

export const MOST_SAMPLES = 5
export const EMPTY_SAMPLE: SampleDraft = { input: '', output: '' }

type Json = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

export const sampleDraftsOf = (agent?: Agent): SampleDraft[] =>
  agent ? samplesOf(agent).map(({ input, output }) => ({ input: textOf(input), output: textOf(output) })) : []

/** The schema without its samples, which have an editor of their own; null if nothing else is left. */
export function withoutExamples(schema: unknown): Json | null {
  const { examples: _, ...rest } = isObject(schema) ? schema : {}
  return Object.keys(rest).length ? rest : null
}

/** The schema with one side of the samples. A sample without that side has an empty text there: the places must agree. */
export function withExamples(
  schema: Json | null,
  samples: readonly SampleDraft[],
  side: keyof SampleDraft,
): Json | null {
  const filled = samples.filter(({ input, output }) => input.trim() || output.trim())
  const texts = filled.map(sample => sample[side].trim())
  return texts.some(Boolean) ? { ...schema, examples: texts.map(valueOf) } : schema
}

function valueOf(text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
