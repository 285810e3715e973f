import { isRecord } from '#platform/kernel/unknown'
import type { ChatRequest, ContentPart } from '../core/chat.ts'
import type { Model, ProviderApi } from '../core/model.ts'
import { UpstreamFailure, type UpstreamCall } from '../core/upstream.ts'

export const malformed = (cause?: unknown): UpstreamFailure =>
  new UpstreamFailure('malformed', 'The provider sent something else than an answer', { status: 200, cause })

/** A JSON object that a provider sent. */
export function jsonOf(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw malformed(error)
  }
  if (!isRecord(body)) throw malformed()
  return body
}

/** Of the APIs, only chat completions answer with several choices. */
export function requireOneChoice({ model, request }: UpstreamCall): void {
  if ((request.n ?? 1) > 1)
    throw new UpstreamFailure('refused', `${model.id} answers with one choice: leave out n`, { status: 400 })
}

/** The API by which a model gets a request. */
export const apiOf = ({ api, toolsApi }: Model, { tools }: ChatRequest): ProviderApi =>
  toolsApi && tools?.length ? toolsApi : api

/** The Responses API of OpenAI refuses a limit below 16. */
export const leastLimit = (model: Model, request: ChatRequest): number =>
  apiOf(model, request) === 'openai-responses' ? 16 : 1

/** Whether the model thinks first, as all do that can, unless the request asks for none of it and the model can do without. */
export const reasons = (model: Model, { reasoning_effort: effort }: ChatRequest): boolean =>
  effortOf(model, effort) !== 'none'

/** Whether a `tool_choice` makes the model call a function. */
export const isForced = (choice: unknown): boolean =>
  choice === 'required' || (isRecord(choice) && choice.type === 'function')

/** The efforts that callers may name, the lowest first. */
const EFFORTS: readonly unknown[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The effort that the model has: the one that is asked for, the next higher one, or else its highest. */
export function effortOf({ efforts, provider }: Model, effort: unknown): unknown {
  // The models of OpenAI no longer know the lowest one.
  if (!efforts) return effort === 'minimal' && provider === 'openai' ? 'low' : effort
  const rank = EFFORTS.indexOf(effort)
  return rank === -1 ? effort : (efforts.find(each => EFFORTS.indexOf(each) >= rank) ?? efforts.at(-1))
}

/** A thought that only Anthropic reads. Those of Mistral have a list of parts, and pass. */
export const isForeignThought = ({ type, thinking }: ContentPart & { thinking?: unknown }): boolean =>
  type === 'redacted_thinking' || (type === 'thinking' && !Array.isArray(thinking))

/** Without the mark up to which Anthropic caches a prompt: others refuse unknown keys. */
export function omitCache<T extends object>(part: T): T {
  if (!('cache_control' in part)) return part
  const { cache_control: _, ...rest } = part
  return rest as T
}
