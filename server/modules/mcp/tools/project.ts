import { isRecord } from '#platform/kernel/unknown'

/** Reduces a value to the fields that a schema names. */
export function project(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema)) return value
  if (Array.isArray(schema.anyOf)) return value === null ? null : project(schema.anyOf[0], value)
  if (Array.isArray(value)) return value.map(item => project(schema.items, item))
  if (!isRecord(schema.properties) || !isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, field]) =>
      Object.hasOwn(value, name) ? [[name, project(field, value[name])]] : [],
    ),
  )
}
