import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { AccessPolicy } from '#platform/http/access'
import type { App } from '#platform/http/operation'
import { installAuth } from './auth.ts'

function startWith(access: AccessPolicy | undefined): void {
  const app = fastify() as unknown as App
  installAuth(app, () => assert.fail('no credential is checked'))
  app.get('/motto', { config: access === undefined ? {} : { access } }, () => 'motto')
}

test('a route without an access policy stops the start', () => {
  assert.throws(() => startWith(undefined), /GET \/motto declares no access policy/)
})

test('a policy that accepts sk_ keys and names no scope stops the start', () => {
  assert.throws(() => startWith({ accept: ['jwt', 'sk'] }), /GET \/motto accepts sk_ keys and names no scope/)
})

test('complete policies are accepted', () => {
  const policies: AccessPolicy[] = [
    'public',
    { optional: ['jwt', 'sk'] },
    { proof: 'signature' },
    { accept: ['jwt'], role: 'ADMIN' },
    { accept: ['jwt', 'sk'], scope: 'agent:read' },
    { accept: ['sa'] },
  ]
  for (const policy of policies) assert.doesNotThrow(() => startWith(policy))
})
