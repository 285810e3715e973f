import {
  mapChildren,
  mapSchemas,
  operationsOf,
  refTo,
  type Document,
  type Media,
  type Operation,
  type Response,
  type Schema,
} from './model.ts'
import { isRecord } from '#platform/kernel/unknown'

/**
 * Writes each enumeration as one `{type: string, enum: [...]}`, and a value of several types as `{type: [..., null]}`:
 * generators make wrapper types of a union. An enumeration with null stays a union of two: the Python generator makes three
 * classes of the other form.
 */
export const joinUnions = (document: Document): void => mapSchemas(document, joinUnion)

export function joinUnion(schema: Schema): Schema {
  const { anyOf, ...rest } = mapChildren(schema, joinUnion)
  if (!anyOf) return rest.enum?.every(value => typeof value === 'string') ? { type: 'string', ...rest } : rest
  const alternatives = joinPlain(joinEnumerations(anyOf.flatMap(partsOf)).toSorted(nullLast))
  const texts = textsOf(anyOf)
  const [only] = alternatives
  if (only && alternatives.length === 1) return { ...texts, ...only, ...rest }
  return { anyOf: alternatives, ...texts, ...rest }
}

/** The alternatives of a union within a union. */
const partsOf = (schema: Schema): Schema[] => (schema.anyOf && !schema.title ? schema.anyOf : [schema])

/** What a union within a union says of itself holds for both. */
function textsOf(anyOf: readonly Schema[]): Schema {
  const { description, examples } = anyOf.find(each => each.anyOf && !each.title) ?? {}
  return { ...(description ? { description } : {}), ...(examples ? { examples } : {}) }
}

const nullLast = (one: Schema, two: Schema): number =>
  Number(one.type === 'null') - Number(two.type === 'null')

/** Values of several types, such as a number or text, or null: one schema if nothing but the types is in conflict. */
function joinPlain(alternatives: Schema[]): Schema[] {
  const [first, ...others] = alternatives
  if (!first || !others.length || !alternatives.every(isPlain)) return alternatives
  const isNullable = others.length === 1 && others[0]?.type === 'null'
  const fields = alternatives.flatMap(each => Object.keys(each).filter(key => key !== 'type'))
  if (!isNullable && (!alternatives.every(isSimple) || new Set(fields).size < fields.length))
    return alternatives
  return [
    { ...Object.assign({}, ...alternatives), type: alternatives.flatMap(({ type = [] }) => type) } as Schema,
  ]
}

/** Without a name or fixed values. */
const isPlain = (schema: Schema): boolean =>
  schema.type !== undefined && !schema.title && !schema.enum && !('const' in schema)

const isSimple = ({ type = [] }: Schema): boolean => ![type].flat().includes('object')

function joinEnumerations(alternatives: Schema[]): Schema[] {
  const single = alternatives.filter(isPlainEnumeration)
  const others = alternatives.filter(each => !isPlainEnumeration(each))
  return single.length
    ? [{ type: 'string', enum: single.flatMap(each => each.enum ?? []).filter(isFirstSpelling) }, ...others]
    : alternatives
}

/** A value that is accepted in another case too is documented in the first: clients name their constants in one case. */
const isFirstSpelling = (value: unknown, at: number, all: unknown[]): boolean =>
  all.findIndex(other => String(other).toLowerCase() === String(value).toLowerCase()) === at

const isPlainEnumeration = ({ type, enum: values, title, ...rest }: Schema): boolean =>
  !title && type === 'string' && values !== undefined && !Object.keys(rest).length

/** Names what has no name yet: the body of an operation is `<Operation>Request`, its answer `<Operation>Response`. */
export function nameBodies(document: Document): void {
  const names = new Map<string, string>()
  const name = (media: Media | undefined, wanted: string) => {
    if (!media?.schema || media.schema.title || !(media.schema.properties ?? media.schema.anyOf)) return
    const key = JSON.stringify(media.schema)
    if (!names.has(key)) names.set(key, wanted)
    media.schema.title = names.get(key)
  }
  for (const operation of operationsOf(document)) {
    const base = operation.operationId.charAt(0).toUpperCase() + operation.operationId.slice(1)
    name(operation.requestBody?.content['application/json'], `${base}Request`)
    for (const response of successes(operation))
      name(response.content?.['application/json'], `${base}Response`)
  }
}

const successes = ({ responses }: Operation): Response[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => response as Response)

/**
 * Moves every schema with a title to the components, where it stands once, and returns them by name. Two schemas of one
 * title that differ in more than description and examples are a mistake in the code: throws.
 */
export function extractSchemas(document: Document): Record<string, Schema> {
  const found = new Map<string, Schema>()
  const extract = (schema: Schema): Schema => {
    const { title, description, examples, ...rest } = mapChildren(schema, extract)
    const all = { ...(description ? { description } : {}), ...rest, ...(examples ? { examples } : {}) }
    if (!title) return all
    const known = found.get(title)
    if (known && shapeOf(known) !== shapeOf(rest)) throw new Error(`two different schemas are named ${title}`)
    found.set(title, { ...all, ...known })
    const first = known?.description ?? description
    return { ...refTo('schemas', title), ...(description && description !== first ? { description } : {}) }
  }
  mapSchemas(document, extract)
  return Object.fromEntries([...found].sort(([one], [two]) => (one < two ? -1 : 1)))
}

/** What two schemas of one name must share: all but the top description and examples, in any order of keys. */
function shapeOf(schema: Schema): string {
  return JSON.stringify({ ...schema, description: undefined, examples: undefined }, (_, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
      : value,
  )
}
