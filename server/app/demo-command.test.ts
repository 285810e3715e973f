import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#platform/kernel/config'
import { demoCommand } from './demo-command.ts'

test('the command of the demo names what differs from its defaults, and no password', () => {
  const command = (env: Record<string, string>) => demoCommand(readConfig(env))
  assert.equal(command({}), 'npm run demo')
  assert.equal(command({ PORT: '4000' }), 'PORT=4000 npm run demo')
  assert.equal(command({ HOST: '0.0.0.0', PORT: '4000' }), 'PORT=4000 npm run demo')
  assert.equal(command({ HOST: '::1' }), 'BASE_URL=http://[::1]:3000 npm run demo')
  assert.equal(command({ SVC_DATA_DIR: '/srv/data' }), 'SVC_DATA_DIR=/srv/data npm run demo')
  assert.equal(command({ SVC_DATA_DIR: "/srv/o'my data" }), "SVC_DATA_DIR='/srv/o'\\''my data' npm run demo")
  assert.equal(
    command({ DATABASE_URL: 'postgres://svc:secret@127.0.0.1:5432/svc' }),
    'DATABASE_URL=... npm run demo',
  )
})
