import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { describeApi } from '../../bin/openapi.ts'
import { DESCRIPTIONS } from '../../server/app/openapi/texts/index.ts'
import { dereference } from '#test'

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
interface Part {
  description?: string
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
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
    securitySchemes: Record<string, unknown>
  }
}

/** Probes and test pages answer failures with a body of their own. */
const OWN_BODY = /^(?:getHealth|getReadiness|sandboxPage\w+)$/

/** What readers and client generators need of the OpenAPI document. */
suite('the OpenAPI document', () => {
  let raw: Document
  let document: Document
  let operations: Operation[]
  before(async () => {
    raw = JSON.parse(JSON.stringify(await describeApi())) as Document
    document = dereference<Document>(raw)
    operations = Object.values(document.paths).flatMap(item => Object.values(item))
  })

  /** Every schema below `schema`, with the name of its property. */
  function* schemasIn(schema: Schema, name = ''): Generator<[string, Schema]> {
    yield [name, schema]
    for (const [key, child] of Object.entries(schema.properties ?? {})) yield* schemasIn(child, key)
    for (const child of [schema.items, ...(schema.anyOf ?? [])]) if (child) yield* schemasIn(child, name)
  }
  const partsOf = ({ requestBody, responses }: Operation): Part[] => [
    ...(requestBody ? [requestBody] : []),
    ...Object.values(responses),
  ]
  const mediaOf = (operation: Operation) =>
    partsOf(operation).flatMap(({ content = {} }) => Object.values(content))
  function* everySchema(): Generator<[string, string, Schema]> {
    for (const operation of operations) {
      for (const { name, schema } of operation.parameters ?? [])
        for (const [key, each] of schemasIn(schema, name)) yield [operation.operationId, key, each]
      for (const { schema } of mediaOf(operation))
        for (const [key, each] of schema ? schemasIn(schema) : []) yield [operation.operationId, key, each]
    }
  }

  test('an enumeration is one string schema, not a union of single values', () => {
    for (const [id, name, { anyOf = [], enum: values, type }] of everySchema()) {
      assert.ok(anyOf.filter(each => each.enum && !each.$ref).length < 2, `${id} ${name}`)
      if (values?.some(value => typeof value === 'string'))
        assert.equal([type].flat()[0], 'string', `${id} ${name}`)
    }
  })

  test('a timestamp has the format date-time', () => {
    const times = /(?:[a-z](?:At|Until)|^(?:at|asOf|now|deliverBy|answerBy))$/
    for (const [id, name, { type, format }] of everySchema()) {
      if (times.test(name) && [type].flat().includes('string'))
        assert.equal(format, 'date-time', `${id} ${name}`)
    }
  })

  test('every response says what it means and names its headers', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { description, headers = {} }] of Object.entries(responses)) {
        assert.ok(description && !/^(Default Response|OK)$/.test(description), `${operationId} ${status}`)
        assert.ok(headers['x-request-id'], `${operationId} ${status}`)
        if (status === '429' || (status === '503' && !OWN_BODY.test(operationId)))
          assert.ok(headers['Retry-After'], `${operationId} ${status}`)
        if (/^30[1237]$/.test(status)) assert.ok(headers.Location, `${operationId} ${status}`)
      }
    }
  })

  test('money operations take an Idempotency-Key and say when a response is a replay', () => {
    const money = operations.filter(({ responses }) => '422' in responses)
    assert.ok(money.length > 15)
    for (const { operationId, parameters = [], responses } of money) {
      assert.ok(
        parameters.some(({ name }) => name === 'Idempotency-Key'),
        operationId,
      )
      assert.ok((responses['201'] ?? responses['200'])?.headers?.['Idempotency-Replayed'], operationId)
    }
  })

  test('every error has one shared response with an example in the envelope', () => {
    for (const item of Object.values(raw.paths)) {
      for (const { operationId, responses } of Object.values(item)) {
        for (const [status, response] of Object.entries(responses)) {
          if (Number(status) >= 400 && !OWN_BODY.test(operationId))
            assert.ok(
              '$ref' in response || 'text/html' in (response.content ?? {}),
              `${operationId} ${status}`,
            )
        }
      }
    }
    for (const [name, { content }] of Object.entries(raw.components.responses)) {
      const example = content?.['application/json']?.example as
        | { statusCode?: number; code?: string }
        | undefined
      assert.ok(example?.statusCode && example.code, name)
    }
  })

  test('the credentials of an operation are those that it accepts', () => {
    const securityOf = (id: string) =>
      operations
        .find(({ operationId }) => operationId === id)
        ?.security.map(each => Object.keys(each).join('+'))
    assert.equal(Object.keys(document.components.securitySchemes)[0], 'accessToken')
    assert.deepEqual(securityOf('setUpMfa'), ['accessToken'])
    assert.deepEqual(securityOf('createAgent'), ['accessToken', 'accountKey', 'accountKeyAsBearer'])
    assert.deepEqual(securityOf('rotateAgentKey'), ['agentKey', 'accountKey', 'accountKeyAsBearer'])
    assert.deepEqual(securityOf('listAgents'), [
      'accessToken',
      'accountKey',
      'accountKeyAsBearer',
      'agentKey',
      '',
    ])
    assert.deepEqual(securityOf('login'), [''])
    for (const id of ['reviewAgent', 'resolveEscrow', 'unfreezeEscrow']) {
      const operation = operations.find(({ operationId }) => operationId === id)
      assert.equal(operation?.['x-required-role'], 'ADMIN', id)
      assert.match(operation.description ?? '', /admin/, id)
    }
  })

  test('the entities are named schemas, and the document is small', () => {
    const names = Object.keys(raw.components.schemas)
    for (const name of [
      'Agent',
      'Wallet',
      'WalletTransaction',
      'Negotiation',
      'Escrow',
      'Delivery',
      'Dispute',
      'User',
      'Session',
      'ServiceAccount',
      'Organization',
      'Approval',
      'TrustScore',
      'Currency',
      'Error',
    ]) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(names.length >= 40)
    const size = JSON.stringify(raw).length
    assert.ok(size < 3400 * operations.length, `${size} characters for ${operations.length} operations`)
  })

  test('every operation, tag and parameter has a description, and a summary starts with a verb', () => {
    const tags = new Set(raw.tags.filter(({ description }) => description).map(({ name }) => name))
    for (const { operationId, summary, description = '', tags: own, parameters = [] } of operations) {
      const [first = ''] = description.split('\n\n')
      assert.ok(
        first && !/^(?:Requires an?|No credential|At most \d+ calls)/.test(first),
        `${operationId} has no description: add one to its route or to server/app/openapi/texts`,
      )
      assert.match(summary, /^[A-Z][a-z-]+,? /, operationId)
      assert.doesNotMatch(
        summary,
        /^(?:A|An|The|One|Its|Whether|What|Another|All)\b/,
        `${operationId}: the summary starts with a verb`,
      )
      for (const tag of own) assert.ok(tags.has(tag), `${tag} is not in server/app/openapi/tags.ts`)
      for (const parameter of parameters)
        assert.ok(parameter.description, `${operationId}: the parameter ${parameter.name} has no description`)
    }
    const ids = new Set(operations.map(({ operationId }) => operationId))
    assert.deepEqual(
      Object.keys(DESCRIPTIONS).filter(id => !ids.has(id)),
      [],
    )
  })

  test('a path parameter has an example, which is not its name', () => {
    for (const { operationId, parameters = [] } of operations) {
      for (const { name, in: place, example } of parameters)
        if (place === 'path') assert.ok(example !== undefined && example !== name, `${operationId} ${name}`)
    }
  })

  test('pages and assets are left out, the badge is JSON and SVG', () => {
    assert.deepEqual(
      Object.keys(document.paths).filter(path => /^\/(?:$|assets|login$|claim|setup)/.test(path)),
      [],
    )
    assert.ok(document.paths['/openapi.json'])
    assert.deepEqual(
      Object.keys(document.paths['/agents/{id}/badge']?.get?.responses['200']?.content ?? {}),
      ['application/json', 'image/svg+xml'],
    )
  })
})
