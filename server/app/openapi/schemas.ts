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

/** Writes each enumeration as one `{type: string, enum: [...]}`: generators make wrapper types of a union of single values. */
export const joinEnumerations = (document: Document): void => mapSchemas(document, joinEnumeration)

function joinEnumeration(schema: Schema): Schema {
  const { anyOf, ...rest } = mapChildren(schema, joinEnumeration)
  if (!anyOf) return rest.enum?.every(value => typeof value === 'string') ? { type: 'string', ...rest } : rest
  const [single, others] = [anyOf.filter(isPlainEnumeration), anyOf.filter(each => !isPlainEnumeration(each))]
  if (!single.length) return { anyOf, ...rest }
  const joined: Schema = { type: 'string', enum: single.flatMap(each => each.enum ?? []) }
  return others.length ? { anyOf: [joined, ...others], ...rest } : { ...joined, ...rest }
}

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
