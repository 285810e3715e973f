import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of a JSON Schema that the generator of inputs looks at. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  minItems?: number
}

interface Parameter {
  $ref?: string
  in: string
  name: string
  schema: Schema
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema } | undefined> }
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

/** One text, or value without a type, that an operation takes in its body. */
export interface Field {
  /** Method and path as in the document. */
  operation: string
  /** Such as `milestones.0.title`. */
  path: string
  schema: Schema
  /** Any JSON value is accepted. */
  isFree: boolean
  /** A body that is otherwise valid; `base` holds fields of the body that win over the generated ones. */
  bodyWith(value: unknown, base?: object): object
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../openapi/openapi.json'), 'utf8'),
) as Document

function resolve<T extends { $ref?: string }>(value: T): T {
  if (!value.$ref) return value
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document)
  return resolve(found as T)
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

/** Every field of every request body in the OpenAPI document that takes text or any JSON. */
export function bodyFields(): Field[] {
  return operations.flatMap(({ name, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema
    return schema ? fieldsIn(schema, { operation: name, path: '', wrap: value => value as object }) : []
  })
}

/** Every parameter in a path, a query or a header that takes text. */
export const textParameters = (): { operation: string; in: string; name: string }[] =>
  operations.flatMap(({ name, operation }) =>
    (operation.parameters ?? [])
      .map(resolve)
      .filter(({ schema }) => variantsOf(schema).some(isText))
      .map(parameter => ({ operation: name, in: parameter.in, name: parameter.name })),
  )

/** Values for the parameters in the path of an operation, in their order: allowed ones, but of no stored object. */
export const pathValues = (name: string): string[] =>
  operations
    .filter(each => each.name === name)
    .flatMap(({ operation }) => (operation.parameters ?? []).map(resolve))
    .filter(parameter => parameter.in === 'path')
    .map(({ schema }) => schema.enum?.find(value => typeof value === 'string') ?? 'unknown')

interface Place {
  operation: string
  path: string
  wrap(value: unknown, base?: object): object
}

function fieldsIn(given: Schema, place: Place): Field[] {
  const found = new Map<string, Field>()
  for (const schema of variantsOf(given)) {
    const fields = [...inside(schema, place)]
    if (isText(schema) || isFree(schema))
      fields.push({
        operation: place.operation,
        path: place.path,
        schema,
        isFree: isFree(schema),
        bodyWith: place.wrap,
      })
    for (const field of fields) if (!found.has(field.path) || field.isFree) found.set(field.path, field)
  }
  return [...found.values()]
}

function* inside(schema: Schema, { operation, path, wrap }: Place): Generator<Field> {
  const below = (name: string) => (path ? `${path}.${name}` : name)
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    yield* fieldsIn(each, {
      operation,
      path: below(name),
      wrap: (value, base) => wrap({ ...sampleObject(schema), ...(path ? {} : base), [name]: value }, base),
    })
  }
  if (schema.items)
    yield* fieldsIn(schema.items, { operation, path: below('0'), wrap: (value, base) => wrap([value], base) })
  if (typeof schema.additionalProperties === 'object' && path) {
    yield* fieldsIn(schema.additionalProperties, {
      operation,
      path: below('key'),
      wrap: (value, base) => wrap({ key: value }, base),
    })
  }
}

function variantsOf(given: Schema): Schema[] {
  const schema = resolve(given)
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (parts) return parts.flatMap(variantsOf)
  return Array.isArray(schema.type) ? schema.type.map(type => ({ ...schema, type })) : [schema]
}

const isText = ({ type, enum: values, ...rest }: Schema): boolean =>
  type === 'string' && !values && !('const' in rest)
const isFree = ({ type, enum: values, properties, ...rest }: Schema): boolean =>
  !values &&
  !('const' in rest) &&
  (type === undefined || (type === 'object' && !Object.keys(properties ?? {}).length))

const TEXTS: Record<string, string> = {
  email: 'a@example.com',
  uri: 'https://example.com/',
  'date-time': '2031-01-01T00:00:00Z',
}

/** Some value that the schema accepts, with required properties only. */
function sample(given: Schema): unknown {
  const [schema = {}] = variantsOf(given)
  if (schema.examples?.length) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'object':
      return sampleObject(schema)
    case 'array':
      return Array.from({ length: schema.items ? Math.max(1, schema.minItems ?? 1) : 0 }, () =>
        sample(schema.items ?? {}),
      )
    case 'number':
    case 'integer':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return TEXTS[schema.format ?? ''] ?? 'text_1'.padEnd(schema.minLength ?? 0, 'x')
  }
}

const sampleObject = (schema: Schema): Record<string, unknown> =>
  Object.fromEntries((schema.required ?? []).map(name => [name, sample(schema.properties?.[name] ?? {})]))
