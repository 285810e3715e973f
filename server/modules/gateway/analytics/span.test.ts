import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanOf } from './span.ts'

const NOW = new Date('2026-03-10T12:30:00.000Z')
const texts = (span: ReturnType<typeof spanOf>) =>
  [span.wholeFrom, span.wholeTo, ...span.rows.flatMap(({ from, to }) => [from, to])].map(at =>
    at.toISOString().slice(5, 16),
  )

test('a period without bounds is whole hours, the current one included', () => {
  const span = spanOf({}, NOW)
  assert.deepEqual(texts(span), ['02-08T12:00', '03-10T14:00'])
  assert.equal(span.to, NOW)
})

test('parts of hours at both ends of a period are read row by row', () => {
  const query = { from: '2026-03-01T10:20:00Z', to: '2026-03-02T11:40:00Z' }
  assert.deepEqual(texts(spanOf(query, NOW)), [
    '03-01T11:00',
    '03-02T11:00',
    '03-01T10:20',
    '03-01T11:00',
    '03-02T11:00',
    '03-02T11:40',
  ])
})

test('a period within an hour has no whole hour', () => {
  const query = { from: '2026-03-01T10:20:00Z', to: '2026-03-01T10:40:00Z' }
  const span = spanOf(query, NOW)
  assert.deepEqual(texts(span), ['03-01T11:00', '03-01T11:00', '03-01T10:20', '03-01T10:40'])
})

test('the hour of a change is read row by row, unless it begins with it', () => {
  const query = { from: '2026-03-01T10:00:00Z', to: '2026-03-02T11:00:00Z' }
  const changes = [
    '2026-03-01T12:00:00Z',
    '2026-03-01T15:15:00Z',
    '2026-03-01T15:45:00Z',
    '2026-03-05T00:30:00Z',
  ]
  const span = spanOf(
    query,
    NOW,
    changes.map(at => new Date(at)),
  )
  assert.deepEqual(texts(span), ['03-01T10:00', '03-02T11:00', '03-01T15:00', '03-01T16:00'])
  assert.deepEqual(span.except, [new Date('2026-03-01T15:00:00Z')])
})

test('a period that ends before it begins is refused', () => {
  const query = { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }
  assert.throws(() => spanOf(query, NOW), { messages: ['from must be before to'] })
  assert.throws(() => spanOf({ from: '2026-03-10T12:30:00Z' }, NOW))
})
