import { VALUES } from './field-values.ts'
import { NAMED_VALUES } from './named-values.ts'
import { REQUESTS, SOME_ID } from './requests.ts'
import { refTo, type Document, type Media, type Operation, type Response, type Schema } from '../model.ts'
import { describeParameters } from '../parameters.ts'
import { isRecord } from '#platform/kernel/unknown'

const FORMATS: Record<string, unknown> = {
  'date-time': '2026-01-12T09:30:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/result',
  binary: '',
}

/** For names without an example value. */
const ENDINGS: readonly (readonly [string, string])[] = [
  ['Url', 'https://example.com/result'],
  ['Id', SOME_ID],
  ['Address', '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'],
]

/**
 * Gives every path parameter, request body and response an example: the one declared with the route or schema,
 * else one made of the example values. Responses of one named schema share its example: returns these, by name.
 */
export function addExamples(document: Document): Record<string, { value: unknown }> {
  const shared: Record<string, { value: unknown }> = {}
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item)) {
      addRequestExample(operation)
      describeParameters(operation, path)
      addParameterExamples(operation)
      for (const { content = {} } of Object.values(operation.responses as Record<string, Response>))
        for (const media of Object.values(content)) addResponseExample(media, shared)
    }
  }
  return shared
}

function addRequestExample({ operationId, requestBody }: Operation): void {
  if (!requestBody) return
  // A body whose every field is optional may be left out.
  requestBody.required = Object.values(requestBody.content).some(({ schema }) => schema?.required?.length)
  for (const media of Object.values(requestBody.content)) {
    media.example =
      REQUESTS[operationId] ??
      media.example ??
      (media.schema && exampleOf(media.schema, { requiredOnly: requestBody.required }))
  }
}

function addParameterExamples({ parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    if (!parameter.required || !parameter.schema || parameter.example !== undefined) continue
    parameter.example = exampleOf(parameter.schema, { name: parameter.name })
  }
}

function addResponseExample(media: Media, shared: Record<string, { value: unknown }>): void {
  if (!media.schema || media.example !== undefined) return
  const { title } = media.schema
  const value = exampleOf(media.schema)
  if (!title) media.example = value
  else {
    shared[title] ??= { value }
    media.examples = { [title]: refTo('examples', title) }
  }
}

interface Place {
  name?: string
  requiredOnly?: boolean
}

function exampleOf(schema: Schema, place: Place = {}): unknown {
  const example = plainExample(schema, place)
  const own = NAMED_VALUES[schema.title ?? '']
  return own
    ? merge(
        example,
        own,
        place.requiredOnly ? (schema.required ?? []) : Object.keys(schema.properties ?? own),
      )
    : example
}

/** `own` over `example`, only for `fields` at the top; undefined leaves a field out. */
function merge(example: unknown, own: Record<string, unknown>, fields: readonly string[]): unknown {
  if (!isRecord(example)) return example
  const merged: Record<string, unknown> = { ...example }
  for (const [name, value] of Object.entries(own)) {
    const known = merged[name]
    if (!fields.includes(name)) continue
    if (value === undefined) delete merged[name]
    else if (Array.isArray(value) && Array.isArray(known))
      merged[name] = value.map((each: unknown) =>
        isRecord(each) && isRecord(known[0]) ? { ...known[0], ...each } : each,
      )
    else merged[name] = isRecord(value) && isRecord(known) ? merge(known, value, Object.keys(value)) : value
  }
  return merged
}

function plainExample(schema: Schema, { name = '', requiredOnly = false }: Place): unknown {
  if (schema.examples?.length) return schema.examples[0]
  const known = VALUES[name]?.find(value => allows(schema, value))
  if (known !== undefined) return known
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length) return schema.enum[0]
  if (schema.anyOf?.length) return exampleOf(schema.anyOf[0] ?? {}, { name, requiredOnly })
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return objectExample(schema, requiredOnly)
    case 'array':
      return schema.items ? [exampleOf(schema.items, { name, requiredOnly })] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string':
      return FORMATS[schema.format ?? ''] ?? ENDINGS.find(([ending]) => name.endsWith(ending))?.[1] ?? name
    default:
      return {}
  }
}

function objectExample({ properties = {}, required = [] }: Schema, requiredOnly: boolean): unknown {
  const fields = Object.entries(properties).filter(([name]) => !requiredOnly || required.includes(name))
  return Object.fromEntries(fields.map(([name, schema]) => [name, exampleOf(schema, { name, requiredOnly })]))
}

/** Whether an example value suits a schema; named and structured schemas are made of their parts. */
function allows(schema: Schema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some(each => allows(each, value))
  if (Array.isArray(schema.type)) return schema.type.some(type => allows({ ...schema, type }, value))
  if (schema.enum) return schema.enum.includes(value)
  if (schema.properties && Object.keys(schema.properties).length) return false
  switch (schema.type) {
    case undefined:
      return schema.const === undefined
    case 'string':
      return (
        typeof value === 'string' &&
        (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)) &&
        fitsLength(schema, value)
      )
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'null':
      return value === null
    default:
      return typeof value === schema.type
  }
}

const fitsLength = ({ maxLength = Infinity, minLength = 0 }: Schema, { length }: string): boolean =>
  length <= maxLength && length >= minLength
