import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import { misspelledSettings } from './settings/misspelled.ts'

const problemsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

const STRIPE = {
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_5c0ffee55c0ffee55c0ffee55c0ffee5',
}

test('an empty environment is a good configuration in sandbox mode', () => {
  const config = readConfig({})
  assert.deepEqual(
    [config.PORT, config.HOST, config.SVC_MODE, config.sandbox],
    [3000, '127.0.0.1', 'sandbox', true],
  )
})

test('PUBLIC_URL is a host without a path, in the form that browsers send', () => {
  assert.equal(
    readConfig({ PUBLIC_URL: 'https://SVC.Example.com:443/' }).PUBLIC_URL,
    'https://svc.example.com',
  )
  for (const PUBLIC_URL of [
    'https://example.com/market',
    'https://example.com/?a=1',
    'https://user:word@example.com',
  ])
    assert.match(
      problemsOf({ PUBLIC_URL }).join(),
      /^PUBLIC_URL must have no path, query or user/,
      PUBLIC_URL,
    )
})

test('HOST is an address or a name without a port', () => {
  for (const HOST of ['foo bar', '127.0.0.1:3000', 'http://localhost', '[::1]', '999.0.0.1', 'fe80::1%eth0'])
    assert.deepEqual(problemsOf({ HOST }), [
      `HOST must be an address such as 127.0.0.1 or ::, or a host name, not "${HOST}"`,
    ])
  for (const HOST of ['::', '::1', '0.0.0.0', 'localhost', 'svc-1.example.com', 'my_host'])
    assert.equal(readConfig({ HOST }).HOST, HOST)
})

test('names a variable that resembles a setting, and none of another program', () => {
  assert.deepEqual(
    misspelledSettings({
      SVC_MOD: 'production',
      DATABASE_URI: 'postgres://a',
      GATEWAY_RETRYS: '3',
      PORT: '1',
    }),
    [
      'SVC_MOD is no setting and is ignored: did you mean SVC_MODE?',
      'DATABASE_URI is no setting and is ignored: did you mean DATABASE_URL?',
      'GATEWAY_RETRYS is no setting and is ignored: did you mean GATEWAY_RETRIES?',
    ],
  )
  const others = {
    HOME: '/',
    HOSTNAME: 'a',
    LOGNAME: 'a',
    SVC_URL: 'http://a',
    SVC_API_KEY: 'sk',
    SVC_BACKUP_PASSPHRASE: 'a',
  }
  assert.deepEqual(misspelledSettings(others), [])
})

test('reports all problems in one message', () => {
  const problems = problemsOf({
    PORT: '99999',
    SVC_MODE: 'live',
    DATABASE_URL: 'nonsense',
    ENABLE_AGENT_SIGNUP: 'yes',
    ADMIN_EMAIL: 'a@example.com',
  })
  for (const name of ['PORT', 'SVC_MODE', 'DATABASE_URL', 'ENABLE_AGENT_SIGNUP', 'ADMIN_PASSWORD'])
    assert.ok(
      problems.some(problem => problem.includes(name)),
      name,
    )
})

test('names an invalid secret without showing it', () => {
  const problems = problemsOf({ DATABASE_URL: 'hunter2', SVC_MASTER_KEY: 'hunter3' })
  assert.equal(problems.length, 2)
  assert.ok(!problems.join().includes('hunter'))
})

test('production refuses what is unsafe there', () => {
  const unsafe = problemsOf({
    SVC_MODE: 'production',
    VERIFIER_ALLOW_PRIVATE: '127.0.0.1:*',
    PUBLIC_URL: 'http://x.example',
    CORS_ORIGINS: '*',
    SVC_FAILPOINTS: '0',
    BREACHED_PASSWORDS_URL: 'http://passwords.example/range',
  })
  for (const name of [
    'VERIFIER_ALLOW_PRIVATE',
    'PUBLIC_URL',
    'PROCESSOR',
    'CORS_ORIGINS',
    'SMTP_URL',
    'SVC_FAILPOINTS',
    'BREACHED_PASSWORDS_URL',
  ])
    assert.ok(
      unsafe.some(problem => problem.includes(name)),
      name,
    )
  assert.deepEqual(
    problemsOf({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      ...STRIPE,
      SMTP_URL: 'smtp://127.0.0.1:9',
    }),
    [],
  )
})

test('the processor fits the mode: production needs a live key, a trial a test key', () => {
  const production = {
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    ...STRIPE,
  }
  const trial = { PROCESSOR: 'stripe', STRIPE_WEBHOOK_SECRET: STRIPE.STRIPE_WEBHOOK_SECRET }
  assert.match(problemsOf({ ...production, PROCESSOR: '' }).join(), /PROCESSOR must be stripe in production/)
  assert.match(problemsOf({ ...production, STRIPE_SECRET_KEY: 'sk_test_1' }).join(), /test cards/)
  assert.match(problemsOf({ ...trial, STRIPE_SECRET_KEY: 'sk_live_1' }).join(), /no real money/)
  assert.deepEqual(problemsOf({ ...trial, STRIPE_SECRET_KEY: 'rk_test_1' }), [])
  assert.deepEqual(
    problemsOf({ PROCESSOR: 'stripe' }).map(problem => problem.split(' ')[0]),
    ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  )
  assert.match(problemsOf({ ...production, STRIPE_API_URL: 'http://stripe.example' }).join(), /https/)
  assert.deepEqual(problemsOf({ ...production, STRIPE_API_URL: 'http://127.0.0.1:4000' }), [])
  const two = `${STRIPE.STRIPE_WEBHOOK_SECRET}, whsec_fedcba9876543210fedcba9876543210`
  assert.equal(readConfig({ ...production, STRIPE_WEBHOOK_SECRET: two }).STRIPE_WEBHOOK_SECRET.length, 2)
})

test('production refuses short shared secrets', () => {
  const short = problemsOf({
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    ...STRIPE,
    STRIPE_WEBHOOK_SECRET: 'a',
    METRICS_TOKEN: 'm',
  })
  assert.deepEqual(
    short.map(problem => problem.split(' ')[0]),
    ['STRIPE_WEBHOOK_SECRET', 'METRICS_TOKEN'],
  )
  assert.match(short.join(), /32 characters/)
})

test('production reaches databases on other machines by TLS, unless their hosts are named', () => {
  const production = {
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    ...STRIPE,
  }
  const refused = problemsOf({
    ...production,
    DATABASE_URL: 'postgres://svc:hunter2@db-1.example:5432,db-2.example:5432/svc',
    DATABASE_DIRECT_URL: 'postgres://svc:hunter2@db.example/svc?sslmode=no-verify',
    REDIS_URL: 'redis://:hunter2@cache.example:6379',
  })
  assert.deepEqual(refused, [
    'DATABASE_URL needs ?sslmode=verify-full in production. If the network to db-1.example is private, add the host to PLAINTEXT_HOSTS.',
    'DATABASE_DIRECT_URL needs ?sslmode=verify-full in production. If the network to db.example is private, add the host to PLAINTEXT_HOSTS.',
    'REDIS_URL must begin with rediss: in production. If the network to cache.example is private, add the host to PLAINTEXT_HOSTS.',
  ])
  for (const env of [
    { DATABASE_URL: 'postgres://svc@db-1.example,db-2.example/svc?sslmode=verify-full' },
    { DATABASE_URL: 'postgres://svc@127.0.0.1:6432/svc', REDIS_URL: 'redis://localhost:6379' },
    { DATABASE_URL: 'postgres://svc@localhost/svc?host=/run/postgresql' },
    {
      DATABASE_URL: 'postgres://svc@postgres:5432/svc',
      REDIS_URL: 'redis://redis',
      PLAINTEXT_HOSTS: 'postgres, redis',
    },
    { REDIS_URL: 'rediss://cache.example:6379' },
  ])
    assert.deepEqual(problemsOf({ ...production, ...env }), [])
  assert.deepEqual(problemsOf({ DATABASE_URL: 'postgres://svc@db.example/svc' }), [])
})

test("agent accounts with a password need the operator's flag", () => {
  assert.equal(readConfig({}).ENABLE_AGENT_SIGNUP, false)
  assert.equal(readConfig({ ENABLE_AGENT_SIGNUP: 'true' }).ENABLE_AGENT_SIGNUP, true)
})

test('a setting that cannot be read is reported once', () => {
  const problems = problemsOf({
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example',
    ...STRIPE,
    SMTP_URL: 'nonsense',
  })
  assert.deepEqual(problems, ['SMTP_URL must be a URL'])
})

test('settings that go together, short secrets and a wrong scheme are named', () => {
  assert.match(problemsOf({ OIDC_ISSUER: 'https://id.example' }).join(), /OIDC_CLIENT_ID/)
  assert.match(problemsOf({ AGENT_CHALLENGE: 'bot-token' }).join(), /BOT_VERIFY_URL/)
  assert.match(problemsOf({ INTERNAL_SECRET: 'short' }).join(), /32 characters/)
  assert.match(problemsOf({ SMTP_URL: 'http://mail.example' }).join(), /smtp: or smtps:/)
  assert.deepEqual(
    problemsOf({
      SMTP_URL: 'smtps://user:word@mail.example',
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'a',
      OIDC_CLIENT_SECRET: 'b',
    }),
    [],
  )
})

test('addresses are checked before anything starts', () => {
  const problems = problemsOf({
    ADMIN_EMAIL: 'notmail',
    ADMIN_PASSWORD: 'long enough',
    TRUSTED_PROXIES: 'foo,10.0.0.0/8,loopback',
    CORS_ORIGINS: 'bar,https://a.example/',
    FRONTEND_URL: 'javascript:alert(1)',
    PUBLIC_URL: 'ftp://x',
  })
  assert.equal(problems.length, 6, problems.join('\n'))
  for (const word of ['ADMIN_EMAIL', '"foo"', '"bar"', '"https://a.example/"', 'FRONTEND_URL', 'PUBLIC_URL'])
    assert.ok(
      problems.some(problem => problem.includes(word)),
      word,
    )
  assert.deepEqual(
    problemsOf({
      TRUSTED_PROXIES: '10.0.0.0/8,::1,loopback',
      CORS_ORIGINS: 'https://a.example,http://localhost:5173',
      ADMIN_EMAIL: 'a@example.com',
      ADMIN_PASSWORD: 'long enough',
    }),
    [],
  )
})
