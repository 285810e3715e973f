import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '#platform/kernel/errors'
import type { ChatRequest } from '../core/chat.ts'
import type { RoutingConfig, RoutingKey } from '../core/key.ts'
import { VIRTUAL_MODELS, type Catalog, type Model, type Price, type Tier } from '../core/model.ts'
import type { RouteInput } from '../core/routing.ts'
import { createRouter, type RouterParts } from './index.ts'

const model = (id: string, tier: Tier, extra: Partial<Model> = {}): Model => ({
  id,
  provider: 'openai',
  tier,
  context: 100_000,
  maxOutput: 10_000,
  capabilities: { vision: true, tools: true, json_schema: true, reasoning: true },
  api: 'openai-chat',
  ...extra,
})

const PRICES: Record<Tier, number> = { economy: 100, mid: 2000, premium: 5000 }
const MODELS = [
  model('claude-haiku-5-5', 'economy', { provider: 'anthropic' }),
  model('mistral-small-2603', 'economy', {
    provider: 'mistral',
    capabilities: { vision: false, tools: false, json_schema: false, reasoning: false },
  }),
  model('gpt-6.1-terra', 'mid'),
  model('glm-5', 'mid', { provider: 'zai', context: 2000 }),
  model('claude-opus-5', 'premium', { provider: 'anthropic' }),
]

const catalog: Catalog = {
  models: () => MODELS,
  embeddingModels: () => [],
  find: id => MODELS.find(each => each.id === id),
  priceOf: ({ id, tier }): Price => {
    const input = PRICES[tier]
    const base = { input, output: input * 5, cacheRead: input / 10, cacheWrite: input }
    return { model: id, validFrom: new Date(0), base, lengthTiers: [], peak: null }
  },
}

const config: RoutingConfig = {
  defaultModel: 'auto',
  thresholds: { mid: 0.35, premium: 0.7 },
  allow: [],
  deny: [],
  maxPriceUsd: null,
  lambda: 1,
  sticky: true,
  fallbacks: true,
}
const key: RoutingKey = {
  id: 'k',
  accountId: 'a',
  limits: {
    rpm: null,
    tpm: null,
    parallel: null,
    dailyUsd: null,
    weeklyUsd: null,
    monthlyUsd: null,
    endUserDailyUsd: null,
  },
  allowedModels: [],
  maxPriceUsd: null,
  errorFormat: 'envelope',
  cacheSeconds: 0,
  redactPii: false,
  expiresAt: null,
  config,
}

function routerWith(parts: Partial<RouterParts> = {}) {
  return createRouter({
    catalog,
    upstream: { isConfigured: () => true },
    health: { isAvailable: () => true },
    clock: { now: () => new Date(0), real: () => new Date(0) },
    ...parts,
  })
}

type Extra = Partial<Omit<RouteInput, 'request'>> & { request?: Partial<ChatRequest> }

const ask = (text: string, extra: Extra = {}): RouteInput => ({
  key,
  prompt: { tokens: 20, bound: 20 },
  ...extra,
  request: { model: 'auto', messages: [{ role: 'user', content: text }], ...extra.request },
})

const EASY = 'What is the capital of France?'
const HARD = 'Prove that there are infinitely many primes congruent to 3 modulo 4, and derive a bound.'

test('selects by the complexity of the prompt', () => {
  assert.equal(routerWith().decide(ask(EASY)).tier, 'economy')
  assert.equal(routerWith().decide(ask(HARD)).tier, 'premium')
})

test('virtual names force their tier', () => {
  assert.equal(routerWith().decide(ask(HARD, { request: { model: 'svc/budget' } })).tier, 'economy')
  assert.equal(routerWith().decide(ask(EASY, { request: { model: 'svc/performance' } })).tier, 'premium')
  const health = { isAvailable: (id: string) => catalog.find(id)?.tier === 'mid' }
  for (const model of ['svc/budget', 'svc/performance']) {
    const { order } = routerWith().decide(ask(HARD, { request: { model } }))
    assert.equal(new Set(order.map(({ tier }) => tier)).size, 1, model)
    assert.throws(
      () => routerWith({ health }).decide(ask(HARD, { request: { model } })),
      (error: ApiError) => error.row.code === 'NO_MODEL_AVAILABLE',
      model,
    )
  }
  assert.equal(routerWith({ health }).decide(ask(HARD)).tier, 'mid')
})

test('refuses an unknown model with the closest names', () => {
  assert.throws(
    () => routerWith().decide(ask(EASY, { request: { model: 'claude-opus-4' } })),
    (error: ApiError) => error.row.code === 'MODEL_NOT_FOUND' && /claude-opus-5/.test(error.extra.hint ?? ''),
  )
})

test('scores easy and hard prompts of several languages apart', () => {
  const tierOf = (text: string) => routerWith().decide(ask(text)).tier
  for (const text of ['Was ist DNS?', 'Что такое DNS?', '什么是 DNS？', '¿Qué es DNS?'])
    assert.equal(tierOf(text), 'economy', text)
  for (const text of [
    'Beweise, dass die Menge der rationalen Zahlen abzählbar ist.',
    'Demuestra que el conjunto de los números racionales es contable.',
    '证明有理数集是可数的，并给出完整的推导过程。',
  ])
    assert.notEqual(tierOf(text), 'economy', text)
})

test('ignores the envelope of an agent', () => {
  const scoreOf = (messages: ChatRequest['messages']) =>
    routerWith().decide(ask('', { request: { messages } })).complexity?.score
  const rules = 'You are a coding agent. Prove every step and design distributed systems. '.repeat(40)
  const content = `<environment_details>${rules}</environment_details>\n<task>${EASY}</task>`
  assert.equal(
    scoreOf([
      { role: 'system', content: rules },
      { role: 'user', content },
    ]),
    scoreOf([{ role: 'user', content: EASY }]),
  )
})

test('decides the same for the same request', () => {
  const [first, second] = [routerWith(), routerWith()].map(router => router.decide(ask(HARD)))
  assert.deepEqual(first, second)
})

test('names why each model is excluded', () => {
  const reasonOf = (id: string, input: RouteInput, parts: Partial<RouterParts> = {}) =>
    routerWith(parts)
      .decide(input)
      .candidates.find(each => each.model.id === id)?.excludedBecause
  const content = [{ type: 'image_url', image_url: { url: 'data:,' } }]
  const messages = [{ role: 'user' as const, content }]
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const small = 'mistral-small-2603'
  const schema = { response_format: { type: 'json_schema' } }
  assert.equal(reasonOf(small, ask('', { request: { messages } })), 'lacks_vision')
  assert.equal(reasonOf(small, ask(EASY, { request: { tools } })), 'lacks_tools')
  assert.equal(reasonOf(small, ask(EASY, { request: schema })), 'lacks_json_schema')
  assert.equal(
    reasonOf(small, ask(EASY, { constraints: { capabilities: ['reasoning'] } })),
    'lacks_reasoning',
  )
  assert.equal(reasonOf('glm-5', ask(EASY, { prompt: { tokens: 1900, bound: 4000 } })), 'context_too_small')
  assert.equal(reasonOf('glm-5', ask(EASY, { request: { max_tokens: 1990 } })), 'context_too_small')
  const cheap = ask(EASY, { constraints: { maxPriceUsd: 50_000n } })
  assert.equal(reasonOf('claude-opus-5', cheap), 'above_max_price')
  assert.equal(reasonOf('glm-5', ask(EASY, { constraints: { deny: ['glm-5'] } })), 'not_allowed_by_request')
  const denied = { ...key, config: { ...config, deny: ['glm-5'] } }
  assert.equal(reasonOf('glm-5', ask(EASY, { key: denied })), 'not_allowed_by_account')
  const limited = { ...key, allowedModels: ['gpt-6.1-terra'] }
  assert.equal(reasonOf('glm-5', ask(EASY, { key: limited })), 'not_allowed_by_key')
  const upstream = { isConfigured: (provider: string) => provider !== 'zai' }
  assert.equal(reasonOf('glm-5', ask(EASY), { upstream }), 'provider_unconfigured')
  const health = { isAvailable: (id: string) => id !== 'glm-5' }
  assert.equal(reasonOf('glm-5', ask(EASY), { health }), 'breaker_open')
})

test('leaves the model of a conversation for a higher tier or after an hour', () => {
  let now = 0
  const clock = { now: () => new Date(0), real: () => new Date(now) }
  const router = routerWith({ clock })
  const turn = (text: string) => router.decide(ask(text, { request: { prompt_cache_key: 'c' } }))
  assert.equal(turn(EASY).tier, 'economy')
  assert.equal(turn(HARD).tier, 'premium')
  assert.deepEqual([turn(EASY).tier, turn(EASY).sticky], ['premium', true])
  now += 3_600_001
  assert.equal(turn(EASY).tier, 'economy')
  const other = ask(EASY, { key: { ...key, accountId: 'b' }, request: { prompt_cache_key: 'c' } })
  assert.equal(router.decide(other).sticky, false)
})

test('a preview does not bind the conversation', () => {
  const router = routerWith()
  router.preview(ask(HARD, { request: { user: 'u' } }))
  assert.equal(router.decide(ask(EASY, { request: { user: 'u' } })).sticky, false)
})

test('selects no excluded model and refuses with API errors only', () => {
  const ids = MODELS.map(({ id }) => id)
  const names = fc.subarray(ids)
  const request = fc.record({
    model: fc.constantFrom('', ...VIRTUAL_MODELS, ...ids, 'unknown'),
    text: fc.string({ maxLength: 300, unit: 'binary' }),
    tokens: fc.nat(120_000),
    max_tokens: fc.option(fc.nat(20_000), { nil: null }),
    allow: names,
    deny: names,
    allowedModels: names,
    maxPriceUsd: fc.option(fc.bigInt(0n, 200_000n), { nil: null }),
    down: names,
  })
  let down: string[] = []
  const router = routerWith({ health: { isAvailable: id => !down.includes(id) } })
  const property = fc.property(request, ({ text, tokens, allow, deny, ...rest }) => {
    down = rest.down
    const { model: name, max_tokens, allowedModels, maxPriceUsd } = rest
    const input = ask(text, {
      key: { ...key, allowedModels, maxPriceUsd, config: { ...config, allow, deny } },
      prompt: { tokens, bound: tokens * 4 },
      request: { model: name, max_tokens },
    })
    try {
      const { order, candidates, tier } = router.decide(input)
      assert.equal(order[0]?.tier, tier)
      for (const { model: each, excludedBecause } of candidates)
        assert.ok(!excludedBecause || !order.includes(each))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  })
  fc.assert(property, { numRuns: 200 })
})
