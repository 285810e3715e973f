import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { dereference, registerHuman, sharedService, type Answer } from '#test'
import { DOCUMENT } from '../support/openapi/openapi.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}
interface Example {
  $ref?: string
  value: unknown
}
interface Part {
  $ref?: string
  description?: string
  content?: Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, Example> }>
  headers?: Record<string, { description: string }>
}
interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: Record<string, unknown>[]
  parameters?: { name: string; in: string; description?: string; schema: Schema; example?: unknown }[]
  requestBody?: Part
  responses: Record<string, Part>
  'x-required-role'?: string
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description?: string }[]
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Part>
    examples: Record<string, Example>
    securitySchemes: Record<string, unknown>
  }
}

/** Operations whose example needs nothing but an account; in this order, since some depend on each other. */
const STATELESS = [
  'register',
  'login',
  'registerAgentAccount',
  'registerListedAgent',
  'selfRegisterAgent',
  'resendVerification',
  'forgotPassword',
  'requestMagicLink',
  'announceAgent',
  'createAgent',
  'createWallet',
  'createOrganization',
  'createServiceAccount',
  'createApiKey',
  'updateOwnAccount',
]

/** What readers and client generators need of the OpenAPI document. */
suite('the examples of the OpenAPI document', () => {
  let raw: Document
  let document: Document
  before(async () => {
    // A step of CI compares the committed document with the routes.
    raw = JSON.parse(await readFile(DOCUMENT, 'utf8')) as Document
    document = dereference<Document>(raw)
  })

  /** Each request and response once, with the operation or the name of what operations share. */
  const partsOf = ({ paths, components }: Document): [string, Part][] => [
    ...Object.values(paths)
      .flatMap(item => Object.values(item))
      .flatMap(({ operationId, requestBody, responses }): [string, Part][] =>
        [...(requestBody ? [requestBody] : []), ...Object.values(responses)]
          .filter(part => !part.$ref)
          .map(part => [operationId, part]),
      ),
    ...Object.entries(components.responses),
  ]

  /** Every string of a value, with the name of its property. */
  function* textsOf(value: unknown, name = ''): Generator<[string, string]> {
    if (typeof value === 'string') yield [name, value]
    else if (Array.isArray(value)) for (const each of value) yield* textsOf(each, name)
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) yield* textsOf(each, key)
  }

  test('every request and response has examples that fit its schema and are not made of field names', async () => {
    const ajv = (formats as unknown as (ajv: Ajv2020) => Ajv2020)(
      new Ajv2020({ strict: false, logger: false, code: { optimize: false } }),
    )
      .addFormat('display-name', true)
      .addFormat('binary', true)
    // With its references: what many operations share is compiled and checked once.
    const referring = JSON.parse(
      JSON.stringify(raw).replaceAll('"#/components/', '"document#/components/'),
    ) as Document
    ajv.addSchema({ components: referring.components }, 'document')
    const valueOf = ({ $ref, value }: Example): unknown =>
      $ref ? raw.components.examples[$ref.split('/').at(-1) ?? '']?.value : value
    const wrong: string[] = []
    for (const [where, part] of partsOf(referring)) {
      // The service of the next test is in this process, too, and closes connections that were silent for long.
      await setImmediate()
      for (const [type, { schema, example, examples = {} }] of Object.entries(part.content ?? {})) {
        const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(valueOf)]
        if (type === 'application/json') assert.ok(values.length, where)
        const validate = ajv.compile({ ...schema, examples: undefined })
        for (const value of values) {
          if (!validate(value))
            wrong.push(`${where}: ${JSON.stringify(validate.errors)} ${JSON.stringify(value)}`)
          for (const [name, text] of textsOf(value))
            if (text === name && name !== '') wrong.push(`${where}: the example of ${name} is its name`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('requests that need no state work as the example shows them', async () => {
    const service = await sharedService()
    try {
      const person = await registerHuman(service)
      const paths = new Map(
        Object.entries(document.paths).flatMap(([path, item]) =>
          Object.entries(item).map(
            ([method, operation]) => [operation.operationId, { path, method, operation }] as const,
          ),
        ),
      )
      for (const id of STATELESS) {
        const { path, method, operation } = paths.get(id) ?? assert.fail(id)
        const body = operation.requestBody?.content?.['application/json']?.example
        const token = operation.security.some(each => 'accessToken' in each) ? person.token : undefined
        const answer: Answer<unknown> = await service.http(method.toUpperCase(), path, { body, token })
        assert.ok(answer.status < 300, `${id}: ${answer.status} ${answer.text}`)
      }
    } finally {
      await service.close()
    }
  })
})
