import { isRecord } from '#platform/kernel/unknown'
import { textOfPattern } from './pattern-text.ts'

/** Schemas come from callers: deeper values are left out where the schema allows it, and the count of values is bounded. */
const MAX_DEPTH = 12
const OPTIONAL_DEPTH = 4
const MAX_VALUES = 2000
const MAX_ITEMS = 50
const MAX_TEXT = 2000

type Schema = Record<string, unknown>

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'person@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
}

/** A value that fits a JSON Schema; the same one each time. A schema without a type gives a text. */
export function valueOfSchema(schema: unknown): unknown {
  return new Sampler(isRecord(schema) ? schema : {}).value(schema, 0, 'value')
}

class Sampler {
  readonly #root: Schema
  #values = 0

  constructor(root: Schema) {
    this.#root = root
  }

  value(schema: unknown, depth: number, name: string): unknown {
    this.#values += 1
    if (!isRecord(schema) || depth > MAX_DEPTH || this.#values > MAX_VALUES) return null
    const own = this.#resolve(schema)
    if ('const' in own) return own.const
    if (Array.isArray(own.enum)) return own.enum[0]
    const branches = Array.isArray(own.anyOf) ? own.anyOf : own.oneOf
    if (Array.isArray(branches) && branches.length)
      return this.value(merge(own, this.#branch(branches, depth)), depth + 1, name)
    return this.#ofType(typeOf(own, depth), own, depth, name)
  }

  #ofType(type: string, schema: Schema, depth: number, name: string): unknown {
    switch (type) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, depth, name)
      case 'integer':
      case 'number':
        return numberOf(schema, type === 'integer')
      case 'boolean':
        return true
      case 'null':
        return null
      default:
        return textOf(schema, name)
    }
  }

  /** Follows `$ref` within the schema and joins `allOf`. */
  #resolve(schema: Schema): Schema {
    let own = schema
    for (let hop = 0; hop < MAX_DEPTH && own.$ref !== undefined; hop += 1) {
      const { $ref, ...rest } = own
      own = merge(rest, this.#target($ref))
    }
    if (!Array.isArray(own.allOf)) return own
    const { allOf, ...rest } = own
    return allOf
      .filter(isRecord)
      .slice(0, MAX_ITEMS)
      .reduce<Schema>((joined, each) => merge(joined, this.#flat(each)), rest)
  }

  #flat(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : merge({}, this.#target(schema.$ref))
  }

  #target(ref: unknown): Schema {
    if (typeof ref !== 'string') return {}
    let at: unknown = this.#root
    for (const step of ref.replace(/^#\/?/, '').split('/').filter(Boolean)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
    }
    return isRecord(at) ? at : {}
  }

  /** The first branch; in depth the plainest one, so that recursive schemas come to an end. */
  #branch(branches: unknown[], depth: number): Schema {
    const schemas = branches.filter(isRecord)
    const plain = depth >= OPTIONAL_DEPTH ? schemas.find(isPlain) : undefined
    return plain ?? schemas[0] ?? {}
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    const names = depth < OPTIONAL_DEPTH ? [...new Set([...Object.keys(properties), ...required])] : required
    return Object.fromEntries(
      names.map(name => [name, this.value(properties[name] ?? { type: 'string' }, depth + 1, name)]),
    )
  }

  #array(schema: Schema, depth: number, name: string): unknown[] {
    const least = boundOf(schema.minItems, 0)
    const most = boundOf(schema.maxItems, MAX_ITEMS)
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
    const wanted = depth < OPTIONAL_DEPTH ? Math.max(least, first.length, 1) : least
    const count = Math.min(wanted, most, MAX_ITEMS)
    const items = Array.from({ length: count }, (_, at) =>
      this.value(first[at] ?? schema.items ?? {}, depth + 1, name),
    )
    return schema.uniqueItems === true ? distinct(items, schema.items) : items
  }
}

const isPlain = (schema: Schema): boolean =>
  schema.type !== 'object' && schema.type !== 'array' && !schema.$ref && !schema.properties

const boundOf = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)

/** Properties and required names are joined; other keywords of `extra` win. */
function merge(base: Schema, extra: Schema): Schema {
  const { anyOf: _any, oneOf: _one, ...rest } = base
  const joined: Schema = { ...rest, ...extra }
  if (isRecord(base.properties) && isRecord(extra.properties))
    joined.properties = { ...base.properties, ...extra.properties }
  if (Array.isArray(base.required) && Array.isArray(extra.required))
    joined.required = [...base.required, ...extra.required]
  return joined
}

function typeOf(schema: Schema, depth: number): string {
  const { type } = schema
  if (typeof type === 'string') return type
  if (Array.isArray(type))
    return depth >= OPTIONAL_DEPTH && type.includes('null') ? 'null' : String(type[0] ?? 'string')
  if (schema.properties || schema.required) return 'object'
  if (schema.items || schema.prefixItems) return 'array'
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number'
  return 'string'
}

function numberOf(schema: Schema, whole: boolean): number {
  const step = boundOf(schema.multipleOf, whole ? 1 : 0)
  const gap = step || 0.5
  const low = Math.max(boundOf(schema.minimum, -Infinity), boundOf(schema.exclusiveMinimum, -Infinity) + gap)
  const high = Math.min(boundOf(schema.maximum, Infinity), boundOf(schema.exclusiveMaximum, Infinity) - gap)
  const start = Math.min(Math.max(1, low), high)
  if (!step) return start < low ? (low - gap + boundOf(schema.exclusiveMaximum, low)) / 2 : start
  const up = Math.ceil(start / step) * step
  return up <= high ? up : Math.floor(start / step) * step
}

function textOf(schema: Schema, name: string): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
  if (format) return format
  if (typeof schema.pattern === 'string') return textOfPattern(schema.pattern)
  const least = Math.min(boundOf(schema.minLength, 0), MAX_TEXT)
  return `Sample ${name}`.padEnd(least, '.').slice(0, boundOf(schema.maxLength, MAX_TEXT))
}

/** Equal values become different ones where that is simple: numbers, free texts and the values of an enum. */
function distinct(items: unknown[], schema: unknown): unknown[] {
  const options = isRecord(schema) && Array.isArray(schema.enum) ? schema.enum : null
  return items.map((item, at) => {
    if (options) return options[at] ?? item
    if (typeof item === 'number') return item + at
    return typeof item === 'string' && at > 0 ? `${item} ${at + 1}` : item
  })
}
