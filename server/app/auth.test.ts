import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { App } from '#platform/http/route'
import { installAuth } from './auth.ts'

test('a route that declares no credential rule stops the start, whatever else it declares', () => {
  const app = fastify() as unknown as App
  installAuth(app, () => assert.fail('nobody is asked'))
  assert.throws(() => app.get('/open', () => 'to all'), /GET \/open declares no credential rule/)
  assert.throws(() => app.post('/limited', { config: { unlimited: true } as never }, () => 'to all'), /POST \/limited/)
  app.get('/public', { config: { auth: 'none' } as never }, () => 'to all')
})
