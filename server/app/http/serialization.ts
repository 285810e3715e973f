import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import type { App } from '#platform/http/operation'

/** For all services of the process: tests start many. */
const compiled = new WeakMap<object, (value: unknown) => string>()

/**
 * Compiles the serializer of a response when it is first sent: all of them at the start would take half a second and
 * 20 MB. Responses with the same schema share one.
 */
export function installSerialization(app: App): void {
  app.setSerializerCompiler<Schema>(({ schema }) => value => {
    let serialize = compiled.get(schema)
    if (!serialize) compiled.set(schema, (serialize = fastJsonStringify(schema)))
    return serialize(value)
  })
}
