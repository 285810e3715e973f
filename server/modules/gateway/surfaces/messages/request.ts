import type { ChatMessage, ChatRequest, ContentPart, ToolCall, ToolDefinition } from '../../core/chat.ts'
import { unsupported } from '../errors.ts'
import { presentFields, requireField } from '../fields.ts'
import type { Block, CountTokensBody, MessagesBody, ResultPart, Source, Tool } from './schema.ts'

/** The canonical form of a request in Anthropic's form. ApiError 400 for what the gateway does not offer. */
export function requestOf(body: MessagesBody): ChatRequest {
  requireOffered(body)
  return {
    ...promptOf(body),
    max_tokens: body.max_tokens,
    ...presentFields({
      stream: body.stream,
      stop: body.stop_sequences?.length ? body.stop_sequences : undefined,
      temperature: body.temperature,
      top_p: body.top_p,
      user: body.metadata?.user_id,
      cache_control: body.cache_control,
      // What is no default has prices of its own: the pipeline refuses it.
      speed: body.speed === 'standard' ? undefined : body.speed,
      inference_geo: body.inference_geo === 'global' ? undefined : body.inference_geo,
    }),
  }
}

function requireOffered(body: MessagesBody): void {
  if (body.mcp_servers?.length) throw unsupported('mcp_servers', 'MCP servers are not offered: declare tools')
  if (body.container) throw unsupported('container', 'Containers are not offered')
  if (body.fallbacks?.length)
    throw unsupported('fallbacks', 'Fallbacks are those of the routing settings (POST /v1/routing/config)')
  if (body.compaction) throw unsupported('compaction', 'Ask the model to summarize the conversation instead')
  // By this code the tool runner of Anthropic's client sends the whole conversation again, without a thread.
  if (body.thread)
    throw unsupported('thread', 'Conversations are not stored: send all messages and leave thread out', {
      error_code: 'thread_unsupported_request',
    })
}

/** The part of a request that its prompt tokens are counted from. */
export function promptOf(body: CountTokensBody): ChatRequest {
  const system = systemOf(body.system)
  return {
    model: body.model,
    messages: [...system, ...body.messages.flatMap(({ role, content }, at) => messagesOf(role, content, at))],
    ...(body.tools?.length ? { tools: body.tools.map(toolOf) } : {}),
    ...choiceOf(body.tool_choice),
    ...reasoningOf(body),
    ...formatOf(body.output_config?.format),
  }
}

function systemOf(system: CountTokensBody['system']): ChatMessage[] {
  if (!system?.length) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  return [{ role: 'system', content: contentOf(system.map((block, at) => textPart(block, `system[${at}]`))) }]
}

type Role = 'user' | 'assistant' | 'system'

function messagesOf(role: Role, content: string | Block[], at: number): ChatMessage[] {
  if (typeof content === 'string') return [{ role, content }]
  const path = `messages[${at}].content`
  if (role === 'assistant') return [assistantMessage(content, path)]
  if (role === 'system')
    return [{ role, content: contentOf(content.map((block, at) => textPart(block, `${path}[${at}]`))) }]
  return userMessages(content, path)
}

/**
 * Tool results become messages of their own, before what the user says. Their images go into the user's message, because a
 * tool message holds text.
 */
function userMessages(blocks: Block[], path: string): ChatMessage[] {
  const results: ChatMessage[] = []
  const parts: ContentPart[] = []
  for (const [at, block] of blocks.entries()) {
    if (block.type !== 'tool_result') {
      parts.push(partOf(block, `${path}[${at}]`))
      continue
    }
    const { texts, images, cache } = resultOf(block, `${path}[${at}]`)
    results.push({
      role: 'tool',
      tool_call_id: requireField(block.tool_use_id, `${path}[${at}].tool_use_id`),
      content: texts,
      ...(block.is_error ? { is_error: true } : {}),
      ...cache,
    })
    for (const image of images) parts.push(image)
  }
  return parts.length ? [...results, { role: 'user', content: contentOf(parts) }] : results
}

interface Result {
  texts: string
  images: ContentPart[]
  cache: CacheMark
}

/** The texts of the parts become one, which has no place for the mark of a part: it goes up to the message. */
function resultOf(block: Block, path: string): Result {
  const { content = '' } = block
  if (typeof content === 'string') return { texts: content, images: [], cache: cacheOf(block) }
  const parts = content.map((part, at) => partOf(part, `${path}.content[${at}]`))
  const texts = parts.filter(part => part.type === 'text')
  return {
    texts: texts.flatMap(part => ('text' in part ? [String(part.text)] : [])).join('\n'),
    images: parts.filter(({ type }) => type !== 'text'),
    cache: { ...cacheOf(texts.findLast(part => 'cache_control' in part) ?? {}), ...cacheOf(block) },
  }
}

function assistantMessage(blocks: Block[], path: string): ChatMessage {
  const texts: ContentPart[] = []
  const calls: ToolCall[] = []
  const sealed: Block[] = []
  // Of another provider than Anthropic, which signs what it thinks.
  let unsigned = ''
  for (const [at, block] of blocks.entries()) {
    const here = `${path}[${at}]`
    if (block.type === 'tool_use') calls.push(callOf(block, here))
    else if (isSealed(block)) sealed.push(block)
    else if (block.type === 'thinking') unsigned += block.thinking ?? ''
    else texts.push(textPart(block, here))
  }
  return {
    role: 'assistant',
    content: texts.length ? contentOf(texts) : null,
    ...(calls.length ? { tool_calls: calls } : {}),
    // Each kind goes to the providers that read it.
    ...(sealed.length ? { thinking_blocks: sealed } : {}),
    ...(unsigned ? { reasoning_content: unsigned } : {}),
  }
}

const isSealed = ({ type, signature }: Block): boolean =>
  type === 'redacted_thinking' || (type === 'thinking' && Boolean(signature))

const callOf = (block: Block, path: string): ToolCall => ({
  id: requireField(block.id, `${path}.id`),
  type: 'function',
  function: { name: requireField(block.name, `${path}.name`), arguments: JSON.stringify(block.input ?? {}) },
  ...cacheOf(block),
})

function partOf(block: Block | ResultPart, path: string): ContentPart {
  if (block.type === 'image')
    return { type: 'image_url', image_url: { url: urlOf(block.source, path) }, ...cacheOf(block) }
  if (block.type === 'document' && block.source?.type === 'text')
    return { type: 'text', text: requireField(block.source.data, `${path}.source.data`), ...cacheOf(block) }
  return textPart(block, path)
}

function textPart(block: Block | ResultPart, path: string): ContentPart {
  if (block.type !== 'text') throw unsupported(path, `Blocks of the type ${block.type} are not offered here`)
  return { type: 'text', text: requireField(block.text, `${path}.text`), ...cacheOf(block) }
}

function urlOf(source: Source | undefined, path: string): string {
  if (source?.type === 'url') return requireField(source.url, `${path}.source.url`)
  if (source?.type !== 'base64') throw unsupported(`${path}.source`, 'Send images as base64 or url')
  const mediaType = requireField(source.media_type, `${path}.source.media_type`)
  return `data:${mediaType};base64,${requireField(source.data, `${path}.source.data`)}`
}

interface CacheMark {
  cache_control?: unknown
}

// Anthropic caches a prompt up to the parts that say so. Other providers do not receive it.
const cacheOf = (block: object): CacheMark =>
  'cache_control' in block && block.cache_control ? { cache_control: block.cache_control } : {}

/** Plain text stays a string, which every provider takes. */
function contentOf(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts
  const isPlain = parts.length === 1 && first && 'text' in first && !('cache_control' in first)
  return isPlain ? String(first.text) : parts
}

function toolOf(tool: Tool, at: number): ToolDefinition {
  if (tool.type && tool.type !== 'custom')
    throw unsupported(
      `tools[${at}].type`,
      `Tools of the server (${tool.type}) are not offered: declare your own`,
    )
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...presentFields({ description: tool.description, strict: tool.strict }),
      parameters: tool.input_schema ?? { type: 'object', properties: {} },
    },
    ...cacheOf(tool),
  }
}

function choiceOf(choice: CountTokensBody['tool_choice']): Partial<ChatRequest> {
  if (!choice) return {}
  const parallel = choice.disable_parallel_tool_use ? { parallel_tool_calls: false } : {}
  if (choice.type === 'tool') {
    const name = requireField(choice.name, 'tool_choice.name')
    return { tool_choice: { type: 'function', function: { name } }, ...parallel }
  }
  return { tool_choice: choice.type === 'any' ? 'required' : choice.type, ...parallel }
}

/** The effort that the caller names, or the one that `thinking` stands for: none where it is disabled. */
function reasoningOf({ model, thinking, output_config: output }: CountTokensBody): Partial<ChatRequest> {
  const named = output?.effort
  // A named model of Anthropic takes both as they are; other providers would refuse them.
  if (model.startsWith('claude-'))
    return { ...(thinking ? { thinking } : {}), ...(named ? { reasoning_effort: named } : {}) }
  const effort = thinking ? effortOf(thinking, named) : named
  // Anthropic's highest efforts have no counterpart.
  return effort ? { reasoning_effort: effort === 'xhigh' || effort === 'max' ? 'high' : effort } : {}
}

function effortOf(
  { type, budget_tokens: budget = 0 }: NonNullable<CountTokensBody['thinking']>,
  named: string | null | undefined,
): string | null | undefined {
  if (type === 'disabled') return 'none'
  if (named || type !== 'enabled') return named
  if (budget < 4096) return 'low'
  return budget < 16_384 ? 'medium' : 'high'
}

function formatOf(format: { type: string; schema?: object } | null | undefined): Partial<ChatRequest> {
  if (!format) return {}
  if (format.type !== 'json_schema')
    throw unsupported('output_config.format', 'The only format is json_schema')
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: format.schema ?? {}, strict: true },
    },
  }
}
