import type { Document, Schema } from '../../openapi/model.ts'

/** A field of a body as the reference lists it; fields of objects within are `name.field`, of lists `name[].field`. */
export interface Field {
  name: string
  type: string
  isRequired: boolean
  description: string
}

const MAX_DEPTH = 3

/** Finds the schema that a reference names. */
export type Resolve = (schema: Schema) => Schema

export const resolverOf = (document: Document): Resolve => {
  const schemas = new Map(Object.entries(document.components.schemas ?? {}))
  return schema => {
    const found = schema.$ref && schemas.get(schema.$ref.replace('#/components/schemas/', ''))
    return found && typeof found === 'object' ? found : schema
  }
}

/** The fields of an object and of the objects in it. */
export function fieldsOf(schema: Schema, resolve: Resolve, prefix = '', depth = 1): Field[] {
  const { properties = {}, required = [] } = objectIn(schema, resolve)
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = prefix + key
    const inner = objectIn(property, resolve)
    const within = inner.properties && depth < MAX_DEPTH
    const suffix = isList(property, resolve) ? '[].' : '.'
    const described = resolve(property)
    return [
      {
        name,
        type: typeOf(property, resolve),
        isRequired: required.includes(key),
        description: property.description ?? described.description ?? alternativeText(described),
      },
      ...(within ? fieldsOf(inner, resolve, name + suffix, depth + 1) : []),
    ]
  })
}

const alternativeText = ({ anyOf = [] }: Schema): string =>
  anyOf.find(({ description }) => description)?.description ?? ''

const isNull = ({ type }: Schema): boolean => type === 'null'

/** The schema itself, or the one in its list or beside null. */
function objectIn(schema: Schema, resolve: Resolve): Schema {
  const { items, anyOf, ...found } = resolve(schema)
  if (items) return objectIn(items, resolve)
  const others = anyOf?.filter(each => !isNull(resolve(each))) ?? []
  return others.length === 1 && others[0] ? objectIn(others[0], resolve) : found
}

const isList = (schema: Schema, resolve: Resolve): boolean => {
  const { items, anyOf = [] } = resolve(schema)
  return Boolean(items) || anyOf.some(each => isList(each, resolve))
}

/** What a value may be, in words. */
export function typeOf(schema: Schema, resolve: Resolve): string {
  const { type, format, enum: values, const: only, items, anyOf } = resolve(schema)
  if (anyOf) return [...new Set(anyOf.map(each => typeOf(each, resolve)))].join(' or ')
  if (values) return values.map(value => `\`${String(value)}\``).join(', ')
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (items) return `list of ${typeOf(items, resolve)}`
  const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'any value')
  return format && format !== 'display-name' ? `${name} (${format})` : name
}
