import type { ChatMessage, ChatRequest, ToolDefinition } from '../../core/chat.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import { listOf, recordOf } from '../usage.ts'
import { requireOneChoice } from '../body.ts'
import { callIds } from '../call-ids.ts'
import { blocksOf, thoughtsOf, toolResult, withMark, type Block } from './content.ts'

type Turn = { role: 'user' | 'assistant'; content: Block[] }

const JSON_ONLY = 'Answer with one JSON object and nothing else.'
const EFFORTS: Readonly<Record<string, string>> = { minimal: 'low' }

/**
 * A request of the Messages API. It refuses unknown keys, and its models no longer take sampling parameters: temperature and
 * top_p are left out. A model is not selected for the others (`missingParameter`).
 */
export function messagesRequest(call: UpstreamCall, stream: boolean): Record<string, unknown> {
  const { model, request, maxTokens } = call
  requireOneChoice(call)
  const { system, turns } = promptOf(request)
  const tools = toolsOf(request)
  const choice = tools.length ? toolChoice(request) : undefined
  const output = outputConfig(request)
  return {
    model: model.id,
    max_tokens: maxTokens,
    messages: turns,
    ...(system.length ? { system } : {}),
    ...(tools.length ? { tools } : {}),
    ...(choice ? { tool_choice: choice } : {}),
    ...(output ? { output_config: output } : {}),
    ...(stream ? { stream: true } : {}),
    ...optional(request),
  }
}

function optional(request: ChatRequest): Record<string, unknown> {
  const { stop, user, thinking, cache_control, reasoning_effort } = request
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter(each => typeof each === 'string' && each)
  return {
    ...(sequences.length ? { stop_sequences: sequences } : {}),
    ...(user ? { metadata: { user_id: user } } : {}),
    ...(isRecord(cache_control) ? { cache_control } : {}),
    ...(isRecord(thinking)
      ? { thinking }
      : reasoning_effort === 'none'
        ? { thinking: { type: 'disabled' } }
        : {}),
  }
}

/** The provider refuses a conversation without a turn, which others answer. */
function promptOf(request: ChatRequest): { system: Block[]; turns: Turn[] } {
  const system = systemOf(request)
  const turns = turnsOf(request.messages)
  return turns.length || !system.length
    ? { system, turns }
    : { system: [], turns: [{ role: 'user', content: system }] }
}

function systemOf({ messages, response_format: format }: ChatRequest): Block[] {
  const blocks = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .flatMap(message => withMark(blocksOf(message.content), message))
  return format?.type === 'json_object' ? [...blocks, { type: 'text', text: JSON_ONLY }] : blocks
}

/** Messages of one role in a row become one: the results of several tools belong into one turn. */
function turnsOf(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = turnContent(message)
    const last = turns.at(-1)
    if (last?.role === role) for (const block of content) last.content.push(block)
    else if (content.length) turns.push({ role, content })
  }
  return turns
}

function turnContent(message: ChatMessage): Block[] {
  if (message.role === 'tool') return [toolResult(message)]
  if (message.role !== 'assistant') return withMark(blocksOf(message.content), message)
  // Signed thoughts of an earlier answer must be sent back before the tool calls that follow them.
  const thoughts = thoughtsOf(listOf(message.thinking_blocks))
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: args }, cache_control }) => ({
      type: 'tool_use',
      id: callIds.anthropic(id),
      name,
      input: inputOf(args),
      ...(isRecord(cache_control) ? { cache_control } : {}),
    }),
  )
  return withMark([...thoughts, ...blocksOf(message.content), ...calls], message)
}

function inputOf(args: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(args))
  } catch {
    return {}
  }
}

function toolsOf({ tools, tool_choice }: ChatRequest): Record<string, unknown>[] {
  const allowed = allowedNames(tool_choice)
  return (tools ?? [])
    .filter(tool => tool.type === 'function' && (!allowed || allowed.has(tool.function.name)))
    .map(toolOf)
}

function toolOf(tool: ToolDefinition): Record<string, unknown> {
  const { name, description, parameters, strict } = tool.function
  const cache = 'cache_control' in tool ? tool.cache_control : Reflect.get(tool.function, 'cache_control')
  return {
    name,
    ...(description ? { description } : {}),
    input_schema: parameters ?? { type: 'object', properties: {} },
    ...(strict ? { strict } : {}),
    ...(isRecord(cache) ? { cache_control: cache } : {}),
  }
}

/** `{type: "allowed_tools", allowed_tools: {mode, tools}}` of OpenAI. */
function allowedNames(choice: unknown): Set<unknown> | null {
  const { type, allowed_tools: allowed } = recordOf(choice)
  if (type !== 'allowed_tools') return null
  return new Set(listOf(recordOf(allowed).tools).map(tool => recordOf(recordOf(tool).function).name))
}

function toolChoice(request: ChatRequest): Record<string, unknown> | undefined {
  const single = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  const choice = isRecord(request.tool_choice) ? request.tool_choice : null
  const mode = choice?.type === 'allowed_tools' ? recordOf(choice.allowed_tools).mode : request.tool_choice
  if (choice?.type === 'function') return { type: 'tool', name: recordOf(choice.function).name, ...single }
  if (mode === 'none') return { type: 'none' }
  if (mode === 'required') return { type: 'any', ...single }
  return mode === 'auto' || 'disable_parallel_tool_use' in single ? { type: 'auto', ...single } : undefined
}

function outputConfig(request: ChatRequest): Record<string, unknown> | null {
  const { response_format: format, reasoning_effort: effort } = request
  const own: Record<string, unknown> = { ...recordOf(request.output_config) }
  if (format?.type === 'json_schema')
    own.format = { type: 'json_schema', schema: format.json_schema?.schema ?? { type: 'object' } }
  if (typeof effort === 'string' && effort !== 'none') own.effort = EFFORTS[effort] ?? effort
  return Object.keys(own).length ? own : null
}
