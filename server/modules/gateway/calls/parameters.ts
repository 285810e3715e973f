import { apiError, invalid, type ApiError } from '#platform/kernel/errors'
import { isRecord } from '#platform/kernel/unknown'
import type { ChatMessage, ChatRequest, ToolDefinition } from '../core/chat.ts'
import { GATEWAY } from '../core/errors.ts'

/**
 * What providers charge for beyond tokens, by searches, seconds, surcharges or storage. The catalog has no price row for it,
 * so it could be neither reserved nor billed.
 */
const CHARGED_EXTRA = [
  'audio',
  'betas',
  'container',
  'enable_code_interpreter',
  'enable_search',
  'inference_geo',
  'mcp_servers',
  'plugins',
  'search_options',
  'search_parameters',
  'speed',
  'web_search',
  'web_search_options',
] as const

/** xAI: the answer is fetched later, so that none comes that could be sent on or billed. */
const DEFERRED = 'deferred'

/** What `tools` and `tool_choice` replaced. No model of the catalog takes it, and most providers ignore it. */
const FUNCTIONS = ['functions', 'function_call'] as const

/**
 * By which clients of other gateways choose providers and fallbacks. Most providers ignore it: prompts would go where the
 * caller does not want them.
 */
const FOREIGN_ROUTING = ['fallbacks', 'models', 'provider', 'route', 'transforms'] as const

/** Tiers at the list price. */
const STANDARD_TIERS: readonly unknown[] = ['auto', 'default', 'standard', 'standard_only']
const TEXT_AND_IMAGES: readonly unknown[] = ['text', 'image_url', 'refusal', 'thinking', 'redacted_thinking']

/** 400 `Unsupported parameter` for what would cost extra, could not be billed, or would be ignored. */
export function requireListPrice(request: ChatRequest): void {
  for (const name of CHARGED_EXTRA) if (isSet(request[name])) throw unpriced(name)
  if (isSet(request[DEFERRED])) throw unsupported(DEFERRED, 'Answers are not stored for later: leave it out')
  for (const name of FUNCTIONS)
    if (isSet(request[name]) && !isEmpty(request[name]))
      throw unsupported(name, 'This form of functions is deprecated: send tools and tool_choice')
  for (const name of FOREIGN_ROUTING)
    if (isSet(request[name]) && !isEmpty(request[name])) throw unsupported(name, ROUTING_HERE)
  const { service_tier: tier, modalities, tools } = request
  if (isSet(tier) && !STANDARD_TIERS.includes(tier)) throw unpriced('service_tier')
  if (Array.isArray(modalities) && modalities.some(each => each !== 'text')) throw unpriced('modalities')
  if (isSet(modalities) && !Array.isArray(modalities)) throw unpriced('modalities')
  if (hasLongCache(request)) throw unpriced('cache_control')
  if (isLongCacheOfOpenai(request['prompt_cache_options'])) throw unpriced('prompt_cache_options')
  tools?.forEach((tool, index) => requirePricedTool(tool, index))
  request.messages.forEach((message, index) => requirePricedParts(message, index))
}

const ROUTING_HERE =
  'Models, providers and fallbacks are chosen by the routing settings (POST /v1/routing/config) and allowedModels of the key'

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0
const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false

function requirePricedTool(tool: ToolDefinition, index: number): void {
  // Some cost extra, such as searches, and others do not, such as `custom`.
  if (tool.type !== 'function')
    throw unsupported('tools', `Tools of the type ${String(tool.type)} are not offered: declare functions`)
  if (!isRecord(tool.function)) throw invalid(`tools.${index}.function is required`)
  // Both places are read: clients differ in where they put it.
  if ([tool, tool.function].some(hasLongCache)) throw unpriced(`tools.${index}.cache_control`)
}

function requirePricedParts(message: ChatMessage, index: number): void {
  const { audio, thinking_blocks: thoughts, tool_calls: calls } = message
  if (isSet(audio)) throw unpriced(`messages.${index}.audio`)
  if (hasLongCache(message)) throw unpriced(`messages.${index}.cache_control`)
  if (Array.isArray(thoughts) && thoughts.some(hasLongCache))
    throw unpriced(`messages.${index}.thinking_blocks`)
  if (calls?.some(hasLongCache)) throw unpriced(`messages.${index}.tool_calls`)
  if (!Array.isArray(message.content)) return
  for (const part of message.content) {
    if (!TEXT_AND_IMAGES.includes(part.type)) throw unpriced(`messages.${index}.content`)
    if (hasLongCache(part)) throw unpriced(`messages.${index}.content`)
  }
}

// Cache writes that last longer cost more than the price row of a cache write.
function hasLongCache(marked: unknown): boolean {
  const { cache_control: control, prompt_cache_breakpoint: breakpoint } = isRecord(marked) ? marked : {}
  return lastsLonger(control, '5m') || isLongCacheOfOpenai(breakpoint)
}

const lastsLonger = (mark: unknown, standard: string): boolean =>
  isRecord(mark) && isSet(mark['ttl']) && mark['ttl'] !== standard

/** `prewarm` writes a cache without an answer, and an answer without a token is not charged here. */
const isLongCacheOfOpenai = (mark: unknown): boolean =>
  lastsLonger(mark, '30m') || (isRecord(mark) && isSet(mark['prewarm']))

const unpriced = (param: string): ApiError =>
  unsupported(param, `${param} asks for something that costs extra and has no price here: leave it out`)

const unsupported = (param: string, hint: string): ApiError =>
  apiError(GATEWAY.UNSUPPORTED_PARAMETER, { hint, details: { param } })
