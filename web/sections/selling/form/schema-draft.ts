/** What the editor of a JSON Schema holds: rows that people fill in, or the schema as text. */
export interface SchemaDraft {
  mode: 'fields' | 'raw'
  rows: readonly SchemaRow[]
  /** The schema that the rows are from: it may say what no row shows. */
  source: Json | null
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

export type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The draft of a schema that the API has: rows if they can say all of it, else its text. */
export function draftOf(schema: unknown): SchemaDraft {
  if (!isObject(schema)) return { mode: 'fields', rows: [], source: null, text: '' }
  const rows = rowsOf(schema)
  const text = JSON.stringify(schema, null, 2)
  return rows ? { mode: 'fields', rows, source: schema, text } : { mode: 'raw', rows: [], source: null, text }
}

/** Parts of a schema that no row shows, and that stay when rows change. */
const UNSHOWN = ['$schema', 'additionalProperties'] as const

/** The rows of a schema; null if it says what rows cannot. */
function rowsOf(schema: Json): SchemaRow[] | null {
  const { type, properties = {}, required = [], ...more } = schema
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required)) return null
  if (!Object.keys(more).every(key => UNSHOWN.some(each => each === key))) return null
  if (!required.every(name => typeof name === 'string' && Object.hasOwn(properties, name))) return null
  const rows = Object.entries(properties).map(([name, property]) =>
    rowOf(name, property, required.includes(name)),
  )
  return rows.every(row => row !== null) ? rows : null
}

function rowOf(name: string, property: unknown, isRequired: boolean): SchemaRow | null {
  if (!isObject(property)) return null
  const { type, description = '', ...more } = property
  const kind = ROW_TYPES.find(each => each === (type === 'array' ? 'list' : type))
  const isKnown = kind === 'list' ? isListOfTexts(more) : Object.keys(more).length === 0
  if (!kind || !isKnown || typeof description !== 'string' || name !== name.trim() || !name) return null
  return { name, type: kind, isRequired, description }
}

const isListOfTexts = ({ items, ...more }: Json): boolean =>
  Object.keys(more).length === 0 &&
  isObject(items) &&
  items.type === 'string' &&
  Object.keys(items).length === 1

/** The schema of rows; null without any, which means that everything is accepted. */
function schemaOfRows(rows: readonly SchemaRow[], source: Json | null): Json | null {
  if (source && isSame(rows, rowsOf(source))) return source
  const named = rows.filter(({ name }) => name.trim())
  if (!named.length) return null
  return {
    ...Object.fromEntries(UNSHOWN.flatMap(key => (source && key in source ? [[key, source[key]]] : []))),
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

/** Whether two parts of drafts have the same content. Both list their fields in one order. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The schema that a draft stands for; undefined if its text is no JSON object. */
export function schemaOf({ mode, rows, source, text }: SchemaDraft): Json | null | undefined {
  if (mode === 'fields') return schemaOfRows(rows, source)
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
  return rows && { ...draft, mode, rows, source: schema }
}
