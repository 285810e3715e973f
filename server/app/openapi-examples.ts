type Schema = {
  type?: string | string[]; format?: string; enum?: unknown[]; const?: unknown; default?: unknown; examples?: unknown[]; minimum?: number
  properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[]; pattern?: string; required?: string[]
}
type Media = { schema?: Schema; example?: unknown }
type Operation = { requestBody?: { required?: boolean; content?: Record<string, Media> }; responses?: Record<string, { content?: Record<string, Media> }> }

const FORMATS: Record<string, unknown> = {
  'date-time': '2026-01-31T09:30:00.000Z', email: 'ada@example.com', uri: 'https://example.com/result', uuid: '0198c0de-0000-7000-8000-000000000001',
}

/** Gives every request body and every successful answer an example: the schema's own, else one made from its parts. */
export function addExamples<T extends object>(document: T): T {
  const { paths = {} } = document as { paths?: Record<string, Record<string, Operation>> }
  for (const operation of Object.values(paths).flatMap(item => Object.values(item))) {
    const answers = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2')).map(([, answer]) => answer)
    // A body whose every field may be left out may be left out itself.
    const body = operation.requestBody
    if (body) body.required = Object.values(body.content ?? {}).some(({ schema }) => schema?.required?.length)
    for (const { content = {} } of [operation.requestBody ?? {}, ...answers]) {
      for (const media of Object.values(content)) if (media.schema && media.example === undefined) media.example = exampleOf(media.schema)
    }
  }
  return document
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
