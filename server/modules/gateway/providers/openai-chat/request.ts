import type { ChatMessage, ContentPart } from '../../core/chat.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { isForeignThought } from '../body.ts'
import { dialectOf, type Dialect } from './dialects.ts'

/** Set by the gateway, whatever the caller sent. */
const OWN_KEYS = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
])

export function chatRequest(
  { model, request, maxTokens }: UpstreamCall,
  stream: boolean,
): Record<string, unknown> {
  const dialect = dialectOf(model.provider)
  const body: Record<string, unknown> = {
    model: model.id,
    messages: request.messages.map(message =>
      dialect.developerRole ? withoutForeign(message) : adapt(withoutForeign(message), dialect),
    ),
    [dialect.maxTokens]: maxTokens,
  }
  if (stream) body.stream = true
  if (stream && dialect.streamOptions) body.stream_options = { include_usage: true }
  for (const [key, value] of Object.entries(request)) {
    if (OWN_KEYS.has(key) || value === undefined || value === null) continue
    const name = dialect.renames[key] ?? key
    if (isSent(name, dialect))
      body[name] = key === 'tools' && request.tools ? request.tools.map(omitCache) : value
  }
  return body
}

/** Without what only Anthropic reads: others refuse unknown keys of a message or part. */
function withoutForeign(message: ChatMessage): ChatMessage {
  const { thinking_blocks: _, cache_control: __, is_error: ___, ...rest } = message
  return {
    ...rest,
    ...(Array.isArray(rest.content) ? { content: withoutThoughts(rest.content) } : {}),
    ...(rest.tool_calls ? { tool_calls: rest.tool_calls.map(call => omitCache(call)) } : {}),
  }
}

/** Null where a message had only thoughts: others refuse an empty list. */
function withoutThoughts(parts: readonly ContentPart[]): ContentPart[] | null {
  const rest = parts.filter(part => !isForeignThought(part)).map(part => omitCache(part))
  return parts.length && !rest.length ? null : rest
}

function omitCache<T extends object>(part: T): T {
  if (!('cache_control' in part)) return part
  const { cache_control: _, ...rest } = part
  return rest as T
}

const isSent = (key: string, { accepts, drops, lacks }: Dialect): boolean =>
  accepts ? accepts.has(key) : !drops.includes(key) && !lacks.includes(key)

function adapt(message: ChatMessage, { accepts }: Dialect): ChatMessage {
  const role = message.role === 'developer' ? 'system' : message.role
  if (!accepts) return role === message.role ? message : { ...message, role }
  // A provider that refuses unknown keys of a request refuses them in messages too.
  const { content, tool_calls, tool_call_id } = message
  return {
    role,
    ...(content === undefined ? {} : { content }),
    ...(tool_calls?.length ? { tool_calls } : {}),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(role === 'tool' && message.name !== undefined ? { name: message.name } : {}),
  }
}
