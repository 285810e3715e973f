import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { QueueFull } from '../../kernel/collections/fair-queue.ts'
import { SchemaChecker } from './checker.ts'

const checker = new SchemaChecker()
after(() => checker.close())
const codeOf = async (...given: Parameters<SchemaChecker['check']>) => (await checker.check(...given)).code

test('a value fits its schema or does not, by draft-07 and 2020-12', async () => {
  const schema = { type: 'array', prefixItems: [{ type: 'string' }] }
  const newer = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
  assert.equal(await codeOf('a', { type: 'value', schema, value: [1] }), 'ok')
  assert.equal(await codeOf('a', { type: 'value', schema: newer, value: [1] }), 'schema_mismatch')
  assert.equal(await codeOf('a', { type: 'rule', schema: { type: 'nonsense' } }), 'schema_invalid')
  assert.equal(await codeOf('a', { type: 'form', schema: { type: 'nonsense' } }), 'schema_invalid')
  assert.equal(
    await codeOf('a', {
      type: 'form',
      schema: { $schema: 'https://example.com/another-dialect', type: 'nonsense' },
    }),
    'ok',
  )
})

test('a schema or value that takes too long or too much memory ends with its thread, and the next check works', async () => {
  // Each value is compared with each, which takes a quick machine 0.3 seconds.
  const slow = { enum: Array.from({ length: 8100 }, (_, at) => [at]) }
  const impatient = new SchemaChecker(50)
  try {
    assert.equal((await impatient.check('a', { type: 'form', schema: slow })).code, 'schema_timeout')
  } finally {
    await impatient.close()
  }
  assert.equal(
    await codeOf('a', { type: 'value', schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(40)}!` }),
    'schema_timeout',
  )
  assert.equal(
    await codeOf('a', { type: 'rule', schema: { description: 'x'.repeat(66_000) } }),
    'schema_invalid',
  )
  assert.equal(await codeOf('a', { type: 'rule', schema: {} }), 'ok')
})

test('an account that waits for too many checks is refused, another is not', async () => {
  const task = { type: 'rule', schema: { type: 'object' } } as const
  const tasks = Array.from({ length: 50 }, () =>
    checker.check('greedy', task).catch((error: unknown) => error),
  )
  assert.equal(await codeOf('other', task), 'ok')
  assert.equal((await Promise.all(tasks)).filter(answer => answer instanceof QueueFull).length, 17)
})
