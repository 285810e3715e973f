import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#platform/kernel/errors'
import type { ChatRequest } from '../core/chat.ts'
import type { RoutingConfig, RoutingKey } from '../core/key.ts'
import type { Catalog, Model, Price, Tier } from '../core/model.ts'
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
  promptTokens: 20,
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
})

test('refuses an unknown model with the closest names', () => {
  assert.throws(
    () => routerWith().decide(ask(EASY, { request: { model: 'claude-opus-4' } })),
    (error: ApiError) => error.row.code === 'MODEL_NOT_FOUND' && /claude-opus-5/.test(error.extra.hint ?? ''),
  )
})
