import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pythonProblems } from './python.ts'

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  tags: ['Deals'],
  responses: { 200: { content: { 'application/json': { schema: { type: 'string' } } } } },
  ...more,
})
const problemsOf = (schemas: object, paths: object = {}) =>
  pythonProblems({ paths, components: { schemas } } as Parameters<typeof pythonProblems>[0])
const object = (properties: object) => ({ type: 'object', properties })

suite('what stops openapi-python-client', () => {
  test('accepts lists, references, nullable values and equal enumerations', () => {
    const Deal = object({
      tags: { type: 'array', items: { type: 'string' } },
      buyer: { anyOf: [{ $ref: '#/components/schemas/Person' }, { type: 'null' }] },
      note: { type: ['string', 'null'] },
    })
    assert.deepEqual(
      problemsOf({ Deal, Person: object({}) }, { '/deals': { get: operation('listDeals') } }),
      [],
    )
  })

  test('reports enumerations whose constants coincide or have several types', () => {
    assert.equal(problemsOf({ Kind: { type: 'string', enum: ['OWN', 'own'] } }).length, 1)
    assert.equal(problemsOf({ Kind: { enum: ['OWN', 1] } }).length, 1)
  })

  test('reports two classes of one name', () => {
    const Model = object({ status: { type: 'string', enum: ['UP', 'DOWN'] } })
    assert.match(problemsOf({ Model, ModelStatus: object({}) }).join(), /two classes are called ModelStatus/)
  })

  test('reports two properties that get one identifier', () => {
    assert.match(problemsOf({ Deal: object({ dealId: {}, deal_id: {} }) }).join(), /dealId and deal_id/)
  })

  test('reports a list without items', () => {
    assert.match(problemsOf({ List: { type: 'array' } }).join(), /needs items/)
  })

  test('reports operations of one name and parameters that are not in the path', () => {
    const parameters = [{ name: 'dealId', in: 'path', required: true, schema: { type: 'string' } }]
    const paths = {
      '/deals/{id}': { get: operation('getDeal', { parameters }), post: operation('get_deal') },
    }
    assert.match(problemsOf({}, paths).join('\n'), /dealId is optional or not in the path/)
    assert.match(problemsOf({}, paths).join('\n'), /two operations are called deals.get_deal/)
  })

  test('reports media types that the client can neither read nor send', () => {
    const content = { 'application/zip': { schema: { type: 'string' } } }
    const paths = {
      '/a': { post: operation('a', { requestBody: { content }, responses: { 200: { content } } }) },
    }
    assert.equal(problemsOf({}, paths).length, 2)
  })
})
