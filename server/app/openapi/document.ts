import { ErrorBody, ModelErrorBody } from '#platform/http/schema'
import { addExamples } from './examples/examples.ts'
import { operationsOf, refTo, type Configs, type Document, type Operation, type Schema } from './model.ts'
import { describeResponses, ERROR_EXAMPLES, errorResponses, HEADERS } from './responses.ts'
import { extractSchemas, joinUnion, joinUnions, nameBodies } from './schemas.ts'
import { describeAccess, usedSchemes } from './security.ts'
import { DESCRIPTIONS } from './texts/index.ts'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique value of the client, for example a UUID. Within 72 hours the same key with the same request returns the stored response and does nothing again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '0198c0de-0000-7000-8000-0000000000ff',
}

/** Completes what the routes declare to the document that readers and generators need. */
export function completeDocument(declared: object, configs: Configs): Document {
  // A copy: the declared schemas validate and serialize.
  const document = JSON.parse(JSON.stringify(declared)) as Document
  const operations = operationsOf(document)
  joinUnions(document)
  nameBodies(document)
  const examples = addExamples(document)
  for (const operation of operations) completeOperation(operation, configs)
  const schemas = extractSchemas(document)
  Object.assign(document.components, {
    schemas: { ...schemas, Error: errorSchema(ErrorBody), ModelError: errorSchema(ModelErrorBody) },
    responses: errorResponses(configs),
    examples: { ...examples, ...ERROR_EXAMPLES },
    parameters: { 'Idempotency-Key': IDEMPOTENCY_KEY },
    headers: HEADERS,
    securitySchemes: usedSchemes(operations),
  })
  return document
}

const errorSchema = (schema: object): Schema => joinUnion(JSON.parse(JSON.stringify(schema)) as Schema)

function completeOperation(operation: Operation, configs: Configs): void {
  const config = configs.get(operation.operationId) ?? {}
  if (config.hidden) operation['x-hidden'] = true
  const access = describeAccess(operation, config)
  const limit =
    config.limit &&
    `At most ${config.limit.max} calls in ${durationOf(config.limit.windowSeconds)} per ${SUBJECTS[config.limit.per]}.`
  const description = [
    operation.description ?? DESCRIPTIONS[operation.operationId],
    [access, limit].filter(Boolean).join(' '),
  ]
    .filter(Boolean)
    .join('\n\n')
  if (description) operation.description = description
  if (config.idempotent)
    operation.parameters = [...(operation.parameters ?? []), refTo('parameters', 'Idempotency-Key')]
  if (config.streamBody)
    operation.requestBody = {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '' } },
    }
  describeResponses(operation, config)
}

const SUBJECTS = { ip: 'IP address', account: 'account', 'path-id': 'object' }

const durationOf = (seconds: number): string =>
  seconds === 1
    ? 'a second'
    : seconds === 60
      ? 'a minute'
      : seconds === 3600
        ? 'an hour'
        : `${seconds} seconds`

/** The document without the pages and their assets, which are no part of the API. */
export function publicDocument(document: Document): Document {
  const paths = Object.entries(document.paths).map(
    ([path, item]) =>
      [
        path,
        Object.fromEntries(Object.entries(item).filter(([, operation]) => !operation['x-hidden'])),
      ] as const,
  )
  const shown = {
    ...document,
    paths: Object.fromEntries(paths.filter(([, item]) => Object.keys(item).length)),
  }
  // Production mode has no sandbox operations.
  const used = new Set(operationsOf(shown).flatMap(({ tags = [] }) => tags))
  const tags = document.tags?.filter(({ name }) => used.has(name))
  return { ...shown, components: usedComponents(shown), tags }
}

/** The components without those that only hidden operations refer to. */
function usedComponents({ paths, components }: Document): Document['components'] {
  const used = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(
      /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      if (used.has(`${kind}/${name}`)) continue
      used.add(`${kind}/${name}`)
      visit(components[kind]?.[name])
    }
  }
  visit(paths)
  return Object.fromEntries(
    Object.entries(components).map(([kind, parts]) => [
      kind,
      kind === 'securitySchemes'
        ? parts
        : Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`))),
    ]),
  )
}
