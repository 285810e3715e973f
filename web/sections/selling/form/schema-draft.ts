/** What the editor of a JSON Schema holds: rows that people fill in, or the schema as text. */
export interface SchemaDraft {
  mode: 'fields' | 'raw'
  rows: readonly SchemaRow[]
  text: string
}

export const ROW_TYPES = ['string', 'number', 'integer', 'boolean', 'list', 'object'] as const
export type RowType = (typeof ROW_TYPES)[number]

export interface SchemaRow {
  name: string
  type: RowType
  isRequired: boolean
  description: string
}

export const EMPTY_ROW: SchemaRow = { name: '', type: 'string', isRequired: true, description: '' }

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The draft of a schema that the API has: rows if they can say all of it, else its text. */
export function draftOf(schema: unknown): SchemaDraft {
  if (!isObject(schema)) return { mode: 'fields', rows: [], text: '' }
  const rows = rowsOf(schema)
  return { mode: rows ? 'fields' : 'raw', rows: rows ?? [], text: JSON.stringify(schema, null, 2) }
}

/** The rows of a schema; null if it says what rows cannot. */
export function rowsOf(schema: Json): SchemaRow[] | null {
  const { type, properties = {}, required = [], additionalProperties: _, $schema: __, ...more } = schema
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required) || Object.keys(more).length)
    return null
  const rows = Object.entries(properties).map(([name, property]) =>
    rowOf(name, property, required.includes(name)),
  )
  return rows.every(row => row !== null) ? rows : null
}

function rowOf(name: string, property: unknown, isRequired: boolean): SchemaRow | null {
  if (!isObject(property)) return null
  const { type, description = '', ...more } = property
  const kind = ROW_TYPES.find(each => each === (type === 'array' ? 'list' : type))
  const isKnown = Object.keys(more).length === 0 || (kind === 'list' && isListOfTexts(more))
  if (!kind || !isKnown || typeof description !== 'string') return null
  return { name, type: kind, isRequired, description }
}

const isListOfTexts = ({ items, ...more }: Json): boolean =>
  Object.keys(more).length === 0 &&
  isObject(items) &&
  items.type === 'string' &&
  Object.keys(items).length === 1

/** The schema of rows; null without any, which means that everything is accepted. */
export function schemaOfRows(rows: readonly SchemaRow[]): Json | null {
  const named = rows.filter(({ name }) => name.trim())
  if (!named.length) return null
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, type, description }) => [
        name.trim(),
        {
          ...(type === 'list' ? { type: 'array', items: { type: 'string' } } : { type }),
          ...(description.trim() ? { description: description.trim() } : {}),
        },
      ]),
    ),
    required: named.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim()),
  }
}

/** The schema that a draft stands for; undefined if its text is no JSON object. */
export function schemaOf({ mode, rows, text }: SchemaDraft): Json | null | undefined {
  if (mode === 'fields') return schemaOfRows(rows)
  if (!text.trim()) return null
  try {
    const schema: unknown = JSON.parse(text)
    return isObject(schema) ? schema : undefined
  } catch {
    return undefined
  }
}

/** The other view of the same draft; null if it cannot be shown so. */
export function inMode(draft: SchemaDraft, mode: SchemaDraft['mode']): SchemaDraft | null {
  if (mode === draft.mode) return draft
  const schema = schemaOf(draft)
  if (schema === undefined) return null
  if (mode === 'raw') return { ...draft, mode, text: schema ? JSON.stringify(schema, null, 2) : '' }
  const rows = schema ? rowsOf(schema) : []
  return rows && { ...draft, mode, rows }
}
