import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
}

test('an empty environment is a good configuration in sandbox mode', () => {
  const config = readConfig({})
  assert.deepEqual([config.PORT, config.HOST, config.SVC_MODE, config.sandbox], [3000, '127.0.0.1', 'sandbox', true])
})

test('all faults come in one message', () => {
  const faults = faultsOf({ PORT: '99999', SVC_MODE: 'live', DATABASE_URL: 'nonsense', ENABLE_AGENT_SIGNUP: 'yes', ADMIN_EMAIL: 'a@example.com' })
  for (const name of ['PORT', 'SVC_MODE', 'DATABASE_URL', 'ENABLE_AGENT_SIGNUP', 'ADMIN_PASSWORD']) assert.ok(faults.some(fault => fault.includes(name)), name)
})

test('a faulty secret is named but never shown', () => {
  const faults = faultsOf({ DATABASE_URL: 'hunter2', SVC_MASTER_KEY: 'hunter3' })
  assert.equal(faults.length, 2)
  assert.ok(!faults.join().includes('hunter'))
})

test('production refuses what is unsafe there', () => {
  const unsafe = faultsOf({ SVC_MODE: 'production', VERIFIER_ALLOW_PRIVATE: '127.0.0.1:*', PUBLIC_URL: 'http://x.example', PROCESSOR_WEBHOOK_SECRET: 'whsec_sandbox', CORS_ORIGINS: '*' })
  for (const name of ['VERIFIER_ALLOW_PRIVATE', 'PUBLIC_URL', 'PROCESSOR_WEBHOOK_SECRET', 'CORS_ORIGINS', 'SMTP_URL']) assert.ok(unsafe.some(fault => fault.includes(name)), name)
  assert.deepEqual(faultsOf({ SVC_MODE: 'production', PUBLIC_URL: 'https://svc.example', PROCESSOR_WEBHOOK_SECRET: 'whsec_5c0ffee55c0ffee55c0ffee55c0ffee5', SMTP_URL: 'smtp://127.0.0.1:9' }), [])
})

test('production refuses short shared secrets', () => {
  const short = faultsOf({ SVC_MODE: 'production', PUBLIC_URL: 'https://svc.example', SMTP_URL: 'smtp://127.0.0.1:9', PROCESSOR_WEBHOOK_SECRET: 'a', METRICS_TOKEN: 'm' })
  assert.deepEqual(short.map(fault => fault.split(' ')[0]), ['PROCESSOR_WEBHOOK_SECRET', 'METRICS_TOKEN'])
  assert.match(short.join(), /32 characters/)
})

test('agent accounts with a password need the operator\'s flag', () => {
  assert.equal(readConfig({}).ENABLE_AGENT_SIGNUP, false)
  assert.equal(readConfig({ ENABLE_AGENT_SIGNUP: 'true' }).ENABLE_AGENT_SIGNUP, true)
})

test('a setting that cannot be read is reported once', () => {
  const faults = faultsOf({ SVC_MODE: 'production', PUBLIC_URL: 'https://svc.example', PROCESSOR_WEBHOOK_SECRET: 'whsec_5c0ffee55c0ffee55c0ffee55c0ffee5', SMTP_URL: 'nonsense' })
  assert.deepEqual(faults, ['SMTP_URL must be a URL'])
})

test('settings that go together, short secrets and a wrong scheme are named', () => {
  assert.match(faultsOf({ OIDC_ISSUER: 'https://id.example' }).join(), /OIDC_CLIENT_ID/)
  assert.match(faultsOf({ AGENT_CHALLENGE: 'bot-token' }).join(), /BOT_VERIFY_URL/)
  assert.match(faultsOf({ INTERNAL_SECRET: 'short' }).join(), /32 characters/)
  assert.match(faultsOf({ SMTP_URL: 'http://mail.example' }).join(), /smtp: or smtps:/)
  assert.deepEqual(faultsOf({ SMTP_URL: 'smtps://user:word@mail.example', OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' }), [])
})

test('addresses are checked before anything starts', () => {
  const faults = faultsOf({ ADMIN_EMAIL: 'notmail', ADMIN_PASSWORD: 'long enough', TRUSTED_PROXIES: 'foo,10.0.0.0/8,loopback', CORS_ORIGINS: 'bar,https://a.example/', FRONTEND_URL: 'javascript:alert(1)', PUBLIC_URL: 'ftp://x' })
  assert.equal(faults.length, 6, faults.join('\n'))
  for (const word of ['ADMIN_EMAIL', '"foo"', '"bar"', '"https://a.example/"', 'FRONTEND_URL', 'PUBLIC_URL']) assert.ok(faults.some(fault => fault.includes(word)), word)
  assert.deepEqual(faultsOf({ TRUSTED_PROXIES: '10.0.0.0/8,::1,loopback', CORS_ORIGINS: 'https://a.example,http://localhost:5173', ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: 'long enough' }), [])
})
