import type { ChatMessage, ChatRequest, ContentPart, ToolCall, ToolDefinition } from '../../core/chat.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { effortOf, isForced, isForeignThought, omitCache, reasons } from '../body.ts'
import { listOf, stringOf } from '../usage.ts'
import { dialectOf, type Dialect } from './dialects.ts'

/** Set by the gateway, whatever the caller sent, or read by Anthropic or OpenAI's Responses alone. */
const NOT_PASSED = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'cache_control',
  'reasoning',
  // OpenRouter's: usage with its cost, and thoughts, come without being asked for.
  'usage',
  'include_reasoning',
])

export function chatRequest(
  { model, request, maxTokens }: UpstreamCall,
  stream: boolean,
): Record<string, unknown> {
  const dialect = dialectOf(model.provider)
  const isReasoning = reasons(model, request)
  const body: Record<string, unknown> = {
    model: model.id,
    messages: messagesFor(request.messages, dialect),
    [dialect.maxTokens]: maxTokens,
  }
  if (stream) body.stream = true
  if (stream && dialect.streamOptions) body.stream_options = { include_usage: true }
  for (const [key, value] of Object.entries(request)) {
    if (NOT_PASSED.has(key) || value === undefined || value === null) continue
    if (SAMPLING.has(key) && !samples(dialect, isReasoning)) continue
    if (key === 'metadata' && !isLabelled(dialect, request)) continue
    if (TOOLS.has(key) && !offersTools(dialect, request)) continue
    const name = dialect.renames[key] ?? key
    if (isSent(name, dialect)) body[name] = valueOf(key, value, { model, request })
  }
  limitThoughts(body, maxTokens, dialect)
  return isForced(body.tool_choice) || !isReasoning ? withoutThinking(body, dialect) : body
}

/** What is reserved for the thoughts: as much as for the answer, or what the caller names below that. */
function limitThoughts(body: Record<string, unknown>, maxTokens: number, { thoughtLimit }: Dialect): void {
  if (!thoughtLimit) return
  const named = body[thoughtLimit]
  body[thoughtLimit] = Math.min(typeof named === 'number' ? named : Infinity, maxTokens)
}

/** Without tools, an empty list and what says how to call them are refused. */
const TOOLS = new Set(['tools', 'tool_choice', 'parallel_tool_calls'])
/** Where no choice can forbid a call, the model would call a tool that it sees. */
const offersTools = ({ lacks }: Dialect, { tools, tool_choice: choice }: ChatRequest): boolean =>
  Boolean(tools?.length) && (choice !== 'none' || !lacks.includes('tool_choice'))

/** OpenAI refuses labels of an answer that it does not store. */
const isLabelled = ({ labels }: Dialect, { store }: ChatRequest): boolean =>
  labels === 'always' || store === true

const SAMPLING = new Set(['temperature', 'top_p'])
const samples = ({ samples: when }: Dialect, isReasoning: boolean): boolean =>
  when === 'always' || (when === 'without_reasoning' && !isReasoning)

function valueOf(
  key: string,
  value: unknown,
  { model, request: { tools } }: Pick<UpstreamCall, 'model' | 'request'>,
): unknown {
  if (key === 'tools' && tools) return tools.map(toolOf)
  return key === 'reasoning_effort' ? effortOf(model, value) : value
}

/** What the caller says of thinking itself stays. An effort may not be named beside it. */
function withoutThinking(body: Record<string, unknown>, { noThinking }: Dialect): Record<string, unknown> {
  if (!noThinking) return body
  const { reasoning_effort: _, ...rest } = body
  return { ...noThinking, ...rest }
}

function messagesFor(messages: readonly ChatMessage[], dialect: Dialect): ChatMessage[] {
  if (dialect.developerRole) return messages.map(message => withoutForeign(message, dialect))
  const own = messages.map(message => {
    const adapted = adapt(withoutForeign(asPrompt(message), dialect), dialect)
    return dialect.fillsTurns ? withText(adapted) : adapted
  })
  if (!dialect.answersResults) return own
  return own.flatMap((message, at) =>
    message.role === 'user' && own[at - 1]?.role === 'tool' ? [RESULTS_READ, message] : [message],
  )
}

/** Stands between results of tools and what the user says, where a provider refuses that. */
const RESULTS_READ: ChatMessage = { role: 'assistant', content: 'I have read the results.' }

/** A turn of the assistant without a text has null beside its calls, or else a blank. */
function withText(message: ChatMessage): ChatMessage {
  const { role, content, tool_calls: calls } = message
  if (role !== 'assistant' || content?.length) return message
  return { ...message, content: calls?.length ? null : ' ' }
}

/** Keys of OpenAI's answers. Clients send them back with the message, and Google refuses that their value is null. */
const OF_ANSWERS = new Set(['annotations', 'audio', 'function_call', 'parsed', 'refusal'])

/** A message without the keys that it had as an answer, and without null; a refusal is its text. */
function asPrompt(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant') return message
  const { role, content, refusal, ...rest } = message
  const others = Object.entries(rest).filter(([key, value]) => value !== null && !OF_ANSWERS.has(key))
  return { role, content: content || stringOf(refusal) || content, ...Object.fromEntries(others) }
}

/** Without what only other providers read: this one may refuse unknown keys of a message or part. */
function withoutForeign(message: ChatMessage, dialect: Dialect): ChatMessage {
  const { thinking_blocks: _, cache_control: __, is_error: ___, ...own } = message
  const { reasoning_content: ____, extra_content: signature, ...rest } = own
  const { tool_call_id: callId } = rest
  const thought = dialect.thoughts ? thoughtOf(message, dialect.thoughts) : ''
  return {
    ...rest,
    ...(Array.isArray(rest.content) ? { content: partsFor(rest.content, dialect) } : {}),
    ...(rest.tool_calls ? { tool_calls: rest.tool_calls.map((call, at) => callOf(call, at, dialect)) } : {}),
    ...(callId === undefined || !dialect.callId ? {} : { tool_call_id: dialect.callId(callId) }),
    ...(thought ? { reasoning_content: thought } : {}),
    ...(dialect.signsCalls && signature ? { extra_content: signature } : {}),
  }
}

/** Stands for thoughts that are not known, where a provider refuses tool calls without any. */
const UNKNOWN_THOUGHT = ' '

function thoughtOf(message: ChatMessage, thoughts: 'read' | 'needed'): string {
  // With blocks they are those of Anthropic.
  const known = listOf(message.thinking_blocks).length ? '' : stringOf(message.reasoning_content)
  return known || (thoughts === 'needed' && message.tool_calls?.length ? UNKNOWN_THOUGHT : '')
}

/** What Google documents for calls that another model made, or whose signature is lost. */
const UNKNOWN_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } }

/** Of the calls of a message, the first one is signed. */
function callOf(call: ToolCall, at: number, { signsCalls, callId }: Dialect): ToolCall {
  const { extra_content: signature, ...own } = omitCache(call)
  const rest = callId ? { ...own, id: callId(own.id) } : own
  if (!signsCalls) return rest
  const known = signature ?? (at === 0 ? UNKNOWN_SIGNATURE : undefined)
  return known ? { ...rest, extra_content: known } : rest
}

/** Null where a message had only thoughts: others refuse an empty list. */
function partsFor(
  parts: readonly ContentPart[],
  { drops, joinsTexts }: Dialect,
): ContentPart[] | string | null {
  const omitMark = drops.includes('prompt_cache_options') ? omitBreakpoint : (part: ContentPart) => part
  const rest = parts.filter(part => !isForeignThought(part)).map(part => omitSize(omitMark(omitCache(part))))
  if (parts.length && !rest.length) return null
  return joinsTexts && rest.every(({ type }) => type === 'text') ? textOf(rest) : rest
}

const textOf = (parts: readonly ContentPart[]): string =>
  parts.map(part => ('text' in part ? stringOf(part.text) : '')).join('\n')

/** Up to here OpenAI caches a prompt. */
function omitBreakpoint(part: ContentPart): ContentPart {
  if (!('prompt_cache_breakpoint' in part)) return part
  const { prompt_cache_breakpoint: _, ...rest }: { type: string; prompt_cache_breakpoint?: unknown } = part
  return rest
}

/** Alibaba reads an image in up to 16,384 tokens where its part says so, which no reservation expects. */
function omitSize(part: ContentPart): ContentPart {
  if (part.type !== 'image_url') return part
  const {
    max_pixels: _,
    min_pixels: __,
    ...rest
  }: { type: string; max_pixels?: unknown; min_pixels?: unknown } = part
  return rest
}

/** Clients differ in where they put the mark of a tool. */
const toolOf = (tool: ToolDefinition): ToolDefinition => ({
  ...omitCache(tool),
  function: omitCache(tool.function),
})

const isSent = (key: string, { accepts, drops, lacks }: Dialect): boolean =>
  accepts ? accepts.has(key) : !drops.includes(key) && !lacks.includes(key)

function adapt(message: ChatMessage, { accepts }: Dialect): ChatMessage {
  const role = message.role === 'developer' ? 'system' : message.role
  if (!accepts) return role === message.role ? message : { ...message, role }
  // A provider that refuses unknown keys of a request refuses them in messages too.
  const { content, tool_calls, tool_call_id, extra_content: signature } = message
  return {
    role,
    ...(content === undefined ? {} : { content }),
    ...(tool_calls?.length ? { tool_calls } : {}),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(role === 'tool' && message.name !== undefined ? { name: message.name } : {}),
    ...(signature === undefined ? {} : { extra_content: signature }),
  }
}
