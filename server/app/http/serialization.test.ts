import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { Type } from '#platform/http/type'
import { Nullable } from '#platform/http/schema'
import type { App } from '#platform/http/operation'
import { installSerialization } from './serialization.ts'

const Motto = Type.Object({
  text: Nullable(Type.String({ maxLength: 3 })),
  site: Nullable(Type.String({ format: 'uri' })),
  pattern: Type.Union([
    Type.Object({ kind: Type.Literal('a'), count: Type.Integer({ maximum: 1 }) }),
    Type.Null(),
  ]),
  at: Nullable(Type.String({ format: 'date-time' })),
})

test('a response beyond a documented limit is sent', async () => {
  const app: App = fastify()
  installSerialization(app)
  const motto = {
    text: 'Write less',
    site: 'none',
    pattern: { kind: 'a', count: 2 },
    at: '2026-01-12T09:30:00.000Z',
  }
  app.get('/', { schema: { response: { 200: Motto } } }, () => motto)
  const { statusCode, body } = await app.inject('/')
  assert.deepEqual([statusCode, JSON.parse(body)], [200, motto])
  await app.close()
})
