import type { ChatCompletion, CompletionUsage, FinishReason } from '../../core/chat.ts'
import { isRecord } from '#platform/kernel/unknown'

export type AnswerBlock =
  | { type: 'text'; text: string; citations: null }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

export interface MessageUsage {
  /** Without the tokens that were read from or written to a cache. */
  input_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
  output_tokens: number
  output_tokens_details: { thinking_tokens: number }
  /** Cost with fee in USD. */
  cost?: number
}

export type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal'

export interface Message {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: AnswerBlock[]
  stop_reason: StopReason | null
  stop_sequence: string | null
  usage: MessageUsage
  svc_meta?: unknown
}

/** An answer in Anthropic's form. */
export function messageOf(completion: ChatCompletion): Message {
  const [choice] = completion.choices
  const message = choice?.message
  const text = message?.content ?? message?.refusal
  return {
    id: completion.id,
    type: 'message',
    role: 'assistant',
    model: completion.model,
    content: [
      ...thoughtsOf(message ?? {}),
      ...(text ? [{ type: 'text' as const, text, citations: null }] : []),
      ...(message?.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => ({
        type: 'tool_use' as const,
        id,
        name,
        input: inputOf(json),
      })),
    ],
    ...stopOf({
      isRefused: Boolean(message?.refusal),
      finish: choice?.finish_reason ?? 'stop',
      sequence: completion['stop_sequence'],
    }),
    usage: messageUsage(completion.usage),
    ...(completion['svc_meta'] === undefined ? {} : { svc_meta: completion['svc_meta'] }),
  }
}

/** What the model thought, as Anthropic signed it, or as plain text of other providers. */
function thoughtsOf(message: Record<string, unknown>): AnswerBlock[] {
  const blocks = message['thinking_blocks']
  if (Array.isArray(blocks)) return blocks.filter(isThought)
  const text = message['reasoning_content']
  return typeof text === 'string' && text ? [{ type: 'thinking', thinking: text, signature: '' }] : []
}

const isThought = (block: unknown): block is AnswerBlock =>
  isRecord(block) && (block['type'] === 'thinking' || block['type'] === 'redacted_thinking')

/** The arguments as an object. A model may write text that is no JSON: it is passed on under one key. */
export function inputOf(json: string): unknown {
  if (!json.trim()) return {}
  try {
    return JSON.parse(json) as unknown
  } catch {
    return { arguments: json }
  }
}

interface End {
  isRefused: boolean
  finish: FinishReason
  /** The text that ended the answer: only Anthropic names it. */
  sequence: unknown
}

/** How an answer ended, in a message and at the end of a stream. */
export function stopOf({ isRefused, finish, sequence }: End): Pick<Message, 'stop_reason' | 'stop_sequence'> {
  const stop = typeof sequence === 'string' && sequence ? sequence : null
  const reason = stop ? 'stop_sequence' : stopReasonOf(finish)
  return { stop_reason: isRefused ? 'refusal' : reason, stop_sequence: stop }
}

function stopReasonOf(reason: FinishReason): StopReason {
  if (reason === 'length') return 'max_tokens'
  if (reason === 'tool_calls') return 'tool_use'
  return reason === 'content_filter' ? 'refusal' : 'end_turn'
}

export function messageUsage(usage: CompletionUsage | undefined): MessageUsage {
  const { cached_tokens: read = 0, cache_write_tokens: write = 0 } = usage?.prompt_tokens_details ?? {}
  return {
    input_tokens: Math.max(0, (usage?.prompt_tokens ?? 0) - read - write),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: usage?.completion_tokens ?? 0,
    output_tokens_details: { thinking_tokens: usage?.completion_tokens_details?.reasoning_tokens ?? 0 },
    ...(usage?.cost === undefined ? {} : { cost: usage.cost }),
  }
}
