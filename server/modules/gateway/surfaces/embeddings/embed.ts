import { apiError } from '#platform/kernel/errors'
import {
  chargedUsd,
  firstAnswer,
  priceHeaders,
  redactText,
  RunningCall,
  sound,
  type CallParts,
  type ModelAnswer,
  type ModelRequest,
} from '../../calls/index.ts'
import { GATEWAY } from '../../core/errors.ts'
import type { RoutingKey } from '../../core/key.ts'
import type { Model, TokenUsage } from '../../core/model.ts'
import { UpstreamFailure } from '../../core/upstream.ts'
import { ROUTING } from '../../routing/index.ts'
import { unsupported } from '../errors.ts'
import { inputsOf, tokenBound } from './input.ts'
import type { EmbeddingList, EmbeddingsBody } from './schema.ts'
import { vectorsOf } from './vectors.ts'

interface Embedded {
  data: EmbeddingList['data']
  usage: TokenUsage | null
}

/**
 * Answers a request for embeddings: limits, reservation, attempts and settlement are those of every request. There is no
 * fallback, because vectors of two models cannot be compared.
 */
export async function embed(
  parts: CallParts,
  { key, requestId, signal, body }: ModelRequest<EmbeddingsBody>,
): Promise<ModelAnswer> {
  const begun = performance.now()
  const model = requireModel(parts, key, body.model)
  const sent = redact(key, body)
  const promptTokens = countTokens(parts, sent)
  const request = { model: body.model, messages: [], ...(body.user ? { user: body.user } : {}) }
  const call = { key, surface: 'embeddings' as const, requestId, request, signal }
  const bound = tokenBound(sent.input, model.context)
  const prompt = { tokens: promptTokens, bound }
  const admission = parts.limiter.enter(key, prompt)
  const running = new RunningCall(parts, { call, request, prompt, admission, begun })
  try {
    // Its context is that of one input: the reservation is for all of them.
    const reserved = { ...model, context: bound }
    running.decision = {
      complexity: null,
      tier: model.tier,
      order: [reserved],
      candidates: [],
      sticky: false,
    }
    const { value } = await firstAnswer<Embedded>(parts, running, ({ totalMs }) =>
      vectorsFrom(parts, { model, body: sent, totalMs }),
    )
    const usage = sound(value.usage) ?? { ...NO_OUTPUT, input: promptTokens }
    const record = running.end({ outcome: 'completed', model, usage, finishReason: null })
    const answer: EmbeddingList = {
      object: 'list',
      data: value.data,
      model: model.id,
      usage: { prompt_tokens: usage.input, total_tokens: usage.input, cost: chargedUsd(record) },
      ...(parts.upstream.simulated ? { svc_meta: { simulated: true } } : {}),
    }
    return { body: answer, headers: { ...running.headers(model), ...priceHeaders(record) } }
  } catch (error) {
    running.abandon()
    throw error
  }
}

const NO_OUTPUT: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** The provider finishes what it began, and charges it, even if the caller has left. */
async function vectorsFrom(
  { upstream }: CallParts,
  { model, body, totalMs }: { model: Model; body: EmbeddingsBody; totalMs: number },
): Promise<Embedded> {
  const format = body.encoding_format ?? 'float'
  const answer = await upstream.embed({
    model,
    // Without `user`, which is for the budgets of the gateway.
    body: {
      model: model.id,
      input: body.input,
      encoding_format: format,
      ...(body.dimensions === undefined ? {} : { dimensions: body.dimensions }),
    },
    totalMs,
  })
  const data = vectorsOf(answer.body['data'], inputsOf(body.input).length, format)
  if (!data)
    throw new UpstreamFailure('malformed', 'The provider sent no vector for each input', {
      usage: answer.usage,
    })
  return { data, usage: answer.usage }
}

function requireModel({ catalog, upstream }: CallParts, key: RoutingKey, name: string): Model {
  const models = catalog.embeddingModels()
  const model = models.find(({ id }) => id === name)
  if (!model)
    throw apiError(ROUTING.MODEL_NOT_FOUND, {
      hint: `The embedding models are ${models.map(({ id }) => id).join(', ')}`,
      details: { param: 'model' },
    })
  const { allow, deny } = key.config
  const isAllowed = [key.allowedModels, allow].every(names => !names.length || names.includes(name))
  if (!isAllowed || deny.includes(name))
    throw apiError(ROUTING.MODEL_NOT_ALLOWED, {
      hint: 'The routing key (allowedModels) or the account (allow, deny) excludes it',
      details: { param: 'model' },
    })
  if (!upstream.isConfigured(model.provider))
    throw apiError(GATEWAY.NO_MODEL_AVAILABLE, {
      hint: `${name} has no provider key: ask the operator of this service`,
    })
  return model
}

/** Without personal data, where the key asks for it. */
function redact(key: RoutingKey, body: EmbeddingsBody): EmbeddingsBody {
  if (!key.redactPii) return body
  const texts = inputsOf(body.input).map(each => {
    if (typeof each !== 'string')
      throw unsupported('input', 'The key replaces personal data: send texts, not tokens')
    return redactText(each)
  })
  return { ...body, input: texts }
}

/** As the tokenizer of the gateway counts; what is billed is what the provider reports. */
function countTokens({ tokens }: CallParts, { input }: EmbeddingsBody): number {
  const inputs = inputsOf(input)
  const given = inputs.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : each.length), 0)
  return given + tokens.ofTexts(inputs.filter(each => typeof each === 'string'))
}
