import type { Agent } from '../../api/schema.d.ts'
import { isObject } from './json-schema.ts'

/** An input of the agent with what it made of it; undefined where the agent shows only the other. */
export interface Sample {
  input: unknown
  output: unknown
}

/** The most that pages show: the API checks as many against the schema. */
export const MOST_SAMPLES = 5

/** The samples of an agent: the `examples` of both schemas, the first input with the first output. */
export function samplesOf(
  { inputSchema, outputSchema }: Pick<Agent, 'inputSchema' | 'outputSchema'>,
  most = MOST_SAMPLES,
): Sample[] {
  const [inputs, outputs] = [examplesOf(inputSchema), examplesOf(outputSchema)]
  const count = Math.min(most, Math.max(inputs.length, outputs.length))
  return Array.from({ length: count }, (_, at) => ({
    input: inputs[at],
    output: outputs[at],
  }))
}

const examplesOf = (schema: unknown): readonly unknown[] =>
  isObject(schema) && Array.isArray(schema.examples) ? schema.examples : []
