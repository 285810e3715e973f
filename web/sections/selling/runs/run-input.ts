type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'example',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
}

/** An input with a value for each field of the schema, to begin with. */
export function exampleOf(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema.properties)) return {}
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, valueOf(property)]),
  )
}

function valueOf(property: unknown): unknown {
  if (!isObject(property)) return null
  const { examples, enum: choices, default: initial, type } = property
  if (initial !== undefined) return initial
  if (Array.isArray(examples) && examples.length) return examples[0] as unknown
  if (Array.isArray(choices) && choices.length) return choices[0] as unknown
  return EXAMPLES[String(type)] ?? null
}

/** What the text stands for; undefined if it is neither an object nor a text. */
export function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) || typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
