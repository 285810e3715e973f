import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageRecord } from '../../../../test/support/gateway/usage.ts'
import { GatewayMetrics } from './metrics.ts'

const ACCOUNT = 'an account'

test('counts requests, tokens, money, failures and fallbacks by model', async () => {
  const metrics = new GatewayMetrics(() => [
    ['glm-5', 'open'],
    ['kimi-k3', 'half-open'],
    ['claude-sonnet-5-5', 'closed'],
  ])
  const record = usageRecord({
    accountId: ACCOUNT,
    keyId: 'a key',
    endUser: 'an end user',
    tokens: { input: 60, output: 40, cacheRead: 10 },
    ttftMs: 20,
    stream: true,
    attempts: [
      { model: 'glm-5', result: 'timeout', latencyMs: 50 },
      { model: 'claude-sonnet-5-5', result: 'ok', latencyMs: 140 },
    ],
  })
  // The first ones arrive before the library is loaded.
  for (let n = 0; n < 3; n++) metrics.observe(record, 2)
  await metrics.text()
  metrics.observe(record, 2)
  const text = await metrics.text()
  const value = (name: string) =>
    text
      .split('\n')
      .find(line => line.startsWith(`svc_gateway_${name} `))
      ?.split(' ')
      .at(-1)
  const found = Object.entries({
    'requests_total{surface="chat",model="claude-sonnet-5-5",tier="mid",outcome="completed"}': '4',
    'request_seconds_sum{model="claude-sonnet-5-5"}': '0.8',
    'overhead_seconds_count{surface="chat"}': '4',
    'time_to_first_token_seconds_count{model="claude-sonnet-5-5"}': '4',
    'tokens_total{model="claude-sonnet-5-5",type="input"}': '240',
    'tokens_total{model="claude-sonnet-5-5",type="cacheRead"}': '40',
    'cost_usd_total{model="claude-sonnet-5-5",simulated="true"}': '0.04',
    'fee_usd_total{simulated="true"}': '0.0032',
    'attempt_failures_total{model="glm-5",result="timeout"}': '4',
    'fallbacks_total{model="glm-5"}': '4',
    'breaker_state{model="glm-5"}': '2',
    'breaker_state{model="kimi-k3"}': '1',
    'breaker_state{model="claude-sonnet-5-5"}': '0',
  })
  for (const [name, expected] of found) assert.equal(value(name), expected, `${name}\n${text}`)
  for (const secret of [ACCOUNT, 'a key', 'an end user']) assert.ok(!text.includes(secret))
})
