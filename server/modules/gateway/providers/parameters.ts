import { isRecord } from '#platform/kernel/unknown'
import type { ChatRequest } from '../core/chat.ts'
import type { Model, ProviderApi } from '../core/model.ts'
import { apiOf, isForced, reasons } from './body.ts'
import { dialectOf } from './openai-chat/index.ts'

const SAMPLES = [
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'seed',
  'presence_penalty',
  'frequency_penalty',
]

/** Parameters that an API lacks, whatever the provider. */
const LACKS: Readonly<Record<ProviderApi, readonly string[]>> = {
  'openai-chat': [],
  'anthropic-messages': [...SAMPLES, 'moderation'],
  'openai-responses': [...SAMPLES, 'moderation', 'stop'],
  'openai-embeddings': [],
}

/**
 * The parameter of a request that changes the answer and that the model does not know, if there is one. Hints without effect
 * on the answer, and `temperature` and `top_p`, do not count: adapters leave them out.
 */
export function missingParameter(model: Model, request: ChatRequest): string | undefined {
  const api = apiOf(model, request)
  const dialect = dialectOf(model.provider)
  const lacks = api === 'openai-chat' ? dialect.lacks : LACKS[api]
  // For each candidate of each request: no list of all names is made.
  const requested = (name: string) =>
    CALLS.has(name)
      ? Boolean(request.tools?.length) && asksForCalls(name, request[name])
      : isRequested(name, request[name])
  return (
    lacks.find(requested) ??
    (dialect.samples === 'without_reasoning' && reasons(model, request)
      ? LOGPROBS.find(requested)
      : undefined) ??
    model.lacks?.find(requested)
  )
}

const LOGPROBS = ['logprobs', 'top_logprobs']

/** Without tools they say nothing. */
const CALLS = new Set(['parallel_tool_calls', 'tool_choice'])
/** `none` needs no parameter: the tools are left out. An object names the tools that may be called. */
const asksForCalls = (name: string, value: unknown): boolean =>
  name === 'tool_choice' ? isForced(value) || isRecord(value) : value === false

/** A value that is the default asks for nothing. */
function isRequested(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false
  if (name === 'n') return value !== 1
  if (Array.isArray(value)) return value.length > 0
  if (isRecord(value)) return Object.keys(value).length > 0
  return name === 'seed' || value !== 0
}
