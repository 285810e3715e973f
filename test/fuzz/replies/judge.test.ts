import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { canary } from '../tenants/canaries.ts'
import { OPERATIONS } from '../document/document.ts'
import { judge, type Reader } from './judge.ts'
import type { Draft, Reply } from './request.ts'
import { shrink } from './shrink.ts'
import { NONE } from '../tenants/tenants.ts'

const draftOf = (name: string, value?: unknown): Draft => ({
  operation: OPERATIONS.find(each => each.name === name) ?? assert.fail(name),
  tenant: 0,
  credential: NONE,
  path: {},
  query: [],
  headers: {},
  ...(value === undefined ? {} : { body: { value } }),
})
const replyOf = (status: number, body: unknown, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'x-request-id': 'x', 'content-type': 'application/json; charset=utf-8', ...headers },
  text: JSON.stringify(body),
  ms: 1,
})
const reader: Reader = { tag: 'a', isAdmin: false, isAnonymous: false, isRelatedTo: () => false }
const exists = draftOf('GET /agents/slug/{slug}/exists')
const keysOf = (draft: Draft, reply: Reply, as: Partial<Reader> = {}): string[] =>
  judge(draft, reply, { ...reader, ...as }).map(({ key }) => key)

suite('the judge of replies', () => {
  test('accepts a documented reply', () => {
    assert.deepEqual(keysOf(exists, replyOf(200, { exists: true })), [])
  })
  test('finds a 5xx, also where it is documented', () => {
    assert.deepEqual(keysOf(draftOf('GET /agents'), replyOf(500, ERROR)), ['GET /agents answers 500'])
  })
  test('finds an undocumented status', () => {
    assert.deepEqual(keysOf(exists, replyOf(418, {})), [
      `${exists.operation.name} answers 418, which is not documented`,
    ])
  })
  test('finds a body that does not fit its schema', () => {
    assert.match(keysOf(exists, replyOf(200, { exists: 'yes' })).join(), /schema: \/exists must be boolean$/)
  })
  test('finds another media type', () => {
    assert.match(keysOf(exists, replyOf(200, {}, { 'content-type': 'text/html' })).join(), /text\/html/)
  })
  test('finds a reply without a request id, and a 429 without Retry-After', () => {
    assert.match(
      keysOf(exists, replyOf(429, ERROR, { 'x-request-id': undefined })).join(),
      /request-id.*Retry-After/,
    )
  })
  test('finds a success for a body that the document refuses', () => {
    const login = draftOf('POST /auth/logout', { refreshToken: 5 })
    assert.match(
      keysOf(login, { ...replyOf(204, {}), text: '' }).join(),
      /refuses: \/refreshToken must be string$/,
    )
  })
  test('takes an error of JSON-RPC for a refusal, whatever its status', () => {
    const call = draftOf('POST /a2a', 1e308)
    const error = { code: -32_600, message: 'body must be object' }
    assert.doesNotMatch(keysOf(call, replyOf(200, { jsonrpc: '2.0', id: null, error })).join(), /refuses/)
    assert.match(keysOf(call, replyOf(200, { jsonrpc: '2.0', id: 1, result: {} })).join(), /refuses/)
  })
  test('finds private text of another tenant, and lets shared text reach partners', () => {
    const wallet = draftOf('GET /wallets/{id}')
    const leaks = (field: string, as?: Partial<Reader>) =>
      keysOf(wallet, replyOf(404, { ...ERROR, message: canary('b', field) }), as).length
    assert.equal(leaks('POST /wallet-vouchers note'), 1)
    assert.equal(leaks('POST /wallet-vouchers note', { isRelatedTo: () => true }), 1)
    assert.equal(leaks('POST /wallet-vouchers note', { tag: 'b' }), 0)
    assert.equal(leaks('POST /wallet-vouchers note', { tag: 'b', isAnonymous: true }), 1)
    assert.equal(leaks('POST /wallet-vouchers note', { isAdmin: true }), 0)
    assert.equal(leaks('POST /ap2/negotiate notes'), 1)
    assert.equal(leaks('POST /ap2/negotiate notes', { isRelatedTo: () => true }), 0)
    assert.equal(leaks('POST /agents name', { isAnonymous: true }), 0)
  })
})

const ERROR = { statusCode: 500, message: 'x', error: 'Internal Server Error', code: 'X' }

suite('the shrinker', () => {
  test('leaves only what a failure needs', async () => {
    const draft = draftOf('POST /agents', {
      name: 'A long name',
      tags: ['one', 'two'],
      pricing: { amount: 5, currency: 'USD' },
    })
    const smallest = await shrink(
      { ...draft, headers: { accept: 'x' }, query: [['a', 'b']] },
      async ({ body }) => JSON.stringify(body ?? '').includes('"amount":5'),
    )
    assert.deepEqual(smallest.body, { value: { pricing: { amount: 5 } } })
    assert.deepEqual([smallest.headers, smallest.query], [{}, []])
  })
})
