import fastJsonStringify, { type Options, type Schema } from 'fast-json-stringify'
import type { App } from '#platform/http/operation'
import { mapChildren, type Schema as Described } from '../openapi/model.ts'

/** The validators of unions: see the validation of requests. */
const OPTIONS = { ajv: { code: { optimize: false } } } satisfies Options

/** For all services of the process: tests start many. */
const compiled = new WeakMap<object, (value: unknown) => string>()

/**
 * Compiles the serializer of a response when it is first sent: all of them at the start would take half a second and
 * 20 MB. Responses with the same schema share one.
 */
export function installSerialization(app: App): void {
  app.setSerializerCompiler<Described>(({ schema }) => value => {
    let serialize = compiled.get(schema)
    if (!serialize)
      compiled.set(schema, (serialize = fastJsonStringify(withoutLimits(schema) as Schema, OPTIONS)))
    return serialize(value)
  })
}

const LIMITS = new Set([
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
])

/**
 * The serializer validates the alternatives of a union, and fails if none fits. The limits of a response are for its
 * readers, and tests compare them with what is sent: a stored value beyond one must not become a 500.
 */
function withoutLimits(schema: Described): Described {
  const entries = Object.entries(mapChildren(schema, withoutLimits))
  return Object.fromEntries(entries.filter(([key, value]) => !LIMITS.has(key) || value === 'date-time'))
}
