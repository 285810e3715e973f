import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upstreamCall, type ProviderAndApi } from '#test'
import { missingParameter } from './index.ts'

test('names the parameter that a model lacks', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }]
  const cases: [ProviderAndApi, Record<string, unknown>, string | undefined][] = [
    [['openai', 'openai-chat'], { n: 3, seed: 0, logit_bias: { 1: 1 } }, undefined],
    [['anthropic', 'anthropic-messages'], { n: 2 }, 'n'],
    [['anthropic', 'anthropic-messages'], { n: 1, presence_penalty: 0, temperature: 0.2 }, undefined],
    [['anthropic', 'anthropic-messages'], { seed: 0 }, 'seed'],
    [['anthropic', 'anthropic-messages'], { logit_bias: {}, stop: [] }, undefined],
    [['anthropic', 'anthropic-messages'], { logit_bias: { 1: 1 } }, 'logit_bias'],
    [['openai', 'openai-responses'], { stop: ['END'] }, 'stop'],
    [['openai', 'openai-responses'], { stop: [], n: null }, undefined],
    [['mistral', 'openai-chat'], { logprobs: true }, 'logprobs'],
    [['mistral', 'openai-chat'], { n: 2, seed: 1 }, undefined],
    [['openai', 'openai-chat'], { moderation: { model: 'omni-moderation-latest' } }, undefined],
    [['google', 'openai-chat'], { moderation: { model: 'omni-moderation-latest' } }, 'moderation'],
    [['google', 'openai-chat'], { tools, parallel_tool_calls: false }, 'parallel_tool_calls'],
    [['google', 'openai-chat'], { tools, parallel_tool_calls: true }, undefined],
    [['google', 'openai-chat'], { parallel_tool_calls: false }, undefined],
    [['xai', 'openai-chat'], { frequency_penalty: 0.5 }, 'frequency_penalty'],
  ]
  for (const [api, request, expected] of cases) {
    const { model, request: whole } = upstreamCall(api, request)
    assert.equal(missingParameter(model, whole), expected, JSON.stringify(request))
  }
})
