import { operationsOf, type Document, type Schema } from './model.ts'
import { successes } from './schemas.ts'

const FORMATS: Record<string, unknown> = {
  'date-time': '2026-01-31T09:30:00.000Z', email: 'ada@example.com', uri: 'https://example.com/result', uuid: '0198c0de-0000-7000-8000-000000000001',
}

/** Gives every request body and every successful response an example: the schema's own, else one made of its parts. */
export function addExamples(document: Document): void {
  for (const operation of operationsOf(document)) {
    const body = operation.requestBody
    // A body whose every field is optional may be left out.
    if (body) body.required = Object.values(body.content).some(({ schema }) => schema?.required?.length)
    for (const { content = {} } of [body ?? {}, ...successes(operation)]) {
      for (const media of Object.values(content)) if (media.schema && media.example === undefined) media.example = exampleOf(media.schema)
    }
  }
}

function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.examples?.length) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length) return schema.enum[0]
  if (schema.anyOf?.length) return exampleOf(schema.anyOf[0] ?? {}, name)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, value]) => [key, exampleOf(value, key)]))
    case 'array': return schema.items ? [exampleOf(schema.items, name)] : []
    case 'integer':
    case 'number': return schema.minimum ?? 1
    case 'boolean': return true
    case 'null': return null
    case 'string': return FORMATS[schema.format ?? ''] ?? (/id$/i.test(name) ? FORMATS.uuid : name || 'text')
    default: return {}
  }
}
