/** How a task is sent. `once` unless the task is about the exchange itself. */
export type Exchange = 'once' | 'twice' | 'burst' | 'forged' | 'late'

/** One task of a run. It follows from the seed of the participant, with its answer. */
export interface Task {
  kind: string
  /** What the agent is asked to do, for a person or a model to read. */
  instructions: string
  /** What it needs for that. */
  input: Record<string, unknown>
  exchange?: Exchange
  /** Why an output is not accepted; null if it is. */
  check(output: unknown): string | null
}

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** A check of one field of the output: exactly `expected`, as text without surrounding space or case. */
export const hasField =
  (name: string, expected: string | number) =>
  (output: unknown): string | null => {
    const value = isObject(output) ? output[name] : undefined
    if (typeof value !== 'string' && typeof value !== 'number') return `output.${name} is missing`
    return normal(value) === normal(expected) ? null : `output.${name} is wrong`
  }

const normal = (value: string | number): string =>
  String(value).normalize('NFC').trim().toLowerCase().slice(0, 10_000)
