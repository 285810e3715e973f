import type { ChatChunk, CompletionUsage, FinishReason, ToolCallDelta } from '../../core/chat.ts'
import { isRecord } from '#platform/kernel/unknown'
import { messageUsage, stopOf, type AnswerBlock } from './answer.ts'

/** One event of the stream; its name is its type. */
export interface MessageEvent {
  type: string
  [key: string]: unknown
}

/** A tool call of which parts have arrived. */
interface PendingCall {
  id: string
  name: string
  json: string
  /** How much of `json` was sent; null before its block began. */
  sent: number | null
}

type OpenBlock = { kind: 'text' | 'thinking' | 'redacted' } | { kind: 'tool_use'; call: number }

const THOUGHT: AnswerBlock = { type: 'thinking', thinking: '', signature: '' }

/**
 * Turns the chunks of one answer into Anthropic's events. Its blocks come one after another, while chunks may mix the parts
 * of several tool calls: what belongs to a later call waits until the open one is complete.
 */
export class MessageStream {
  readonly #start: { id: string; model: string; meta?: unknown }
  #index = -1
  #open: OpenBlock | null = null
  #finish: FinishReason = 'stop'
  #isRefused = false
  #sequence: unknown
  readonly #calls = new Map<number, PendingCall>()

  constructor(start: { id: string; model: string; meta?: unknown }) {
    this.#start = start
  }

  begin(): MessageEvent[] {
    const { id, model, meta } = this.#start
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // Known at the end only: `message_delta` has the totals.
      usage: messageUsage(undefined),
      ...(meta === undefined ? {} : { svc_meta: meta }),
    }
    return [{ type: 'message_start', message }, { type: 'ping' }]
  }

  push(chunk: ChatChunk): MessageEvent[] {
    const [choice] = chunk.choices
    if (!choice) return []
    if (choice.finish_reason) this.#finish = choice.finish_reason
    this.#sequence = chunk['stop_sequence'] ?? this.#sequence
    const { content, refusal, tool_calls: calls = [] } = choice.delta
    const thought = choice.delta['reasoning_content']
    if (refusal) this.#isRefused = true
    return [
      ...this.#think(thought),
      ...this.#signature(choice.delta['thinking_blocks']),
      ...this.#text(content),
      ...this.#text(refusal),
      ...calls.flatMap(call => this.#call(call)),
    ]
  }

  end(usage: CompletionUsage): MessageEvent[] {
    const delta = stopOf({ isRefused: this.#isRefused, finish: this.#finish, sequence: this.#sequence })
    return [
      ...this.#flush(),
      ...this.#close(),
      { type: 'message_delta', delta, usage: messageUsage(usage) },
      { type: 'message_stop' },
    ]
  }

  #think(text: unknown): MessageEvent[] {
    if (typeof text !== 'string' || !text) return []
    return [...this.#enter('thinking', THOUGHT), this.#delta({ type: 'thinking_delta', thinking: text })]
  }

  /**
   * The signature of a thought is its end, and all that comes of one that is not shown. Thoughts that Anthropic redacts are
   * blocks of their own.
   */
  #signature(blocks: unknown): MessageEvent[] {
    if (!Array.isArray(blocks)) return []
    return blocks.filter(isRecord).flatMap(({ type, signature, data }) => {
      if (type === 'redacted_thinking' && typeof data === 'string')
        return [...this.#close(), this.#begin({ kind: 'redacted' }, { type, data }), ...this.#close()]
      if (type !== 'thinking' || typeof signature !== 'string' || !signature) return []
      const end = { type: 'signature_delta', signature }
      return [...this.#enter('thinking', THOUGHT), this.#delta(end), ...this.#close()]
    })
  }

  #text(text: string | null | undefined): MessageEvent[] {
    if (!text) return []
    const block = { type: 'text', text: '', citations: null } as const
    return [...this.#enter('text', block), this.#delta({ type: 'text_delta', text })]
  }

  #call({ index, id, function: part = {} }: ToolCallDelta): MessageEvent[] {
    const call = this.#calls.get(index) ?? { id: id ?? `call_${index}`, name: '', json: '', sent: null }
    this.#calls.set(index, call)
    if (part.name) call.name = part.name
    call.json += part.arguments ?? ''
    const open = this.#open
    const isOther = open?.kind === 'tool_use' && open.call !== index
    return isOther && !isComplete(this.#calls.get(open.call)) ? [] : this.#send(index, call)
  }

  #send(index: number, call: PendingCall): MessageEvent[] {
    const isOpen = this.#open?.kind === 'tool_use' && this.#open.call === index
    const block = { type: 'tool_use', id: call.id, name: call.name, input: {} } as const
    const start = isOpen ? [] : [...this.#close(), this.#begin({ kind: 'tool_use', call: index }, block)]
    const json = call.json.slice(call.sent ?? 0)
    call.sent = call.json.length
    return json ? [...start, this.#delta({ type: 'input_json_delta', partial_json: json })] : start
  }

  /** Sends what waited for another call. */
  #flush(): MessageEvent[] {
    return [...this.#calls]
      .filter(([, call]) => call.sent === null)
      .flatMap(([index, call]) => this.#send(index, call))
  }

  #enter(kind: 'text' | 'thinking', block: AnswerBlock): MessageEvent[] {
    return this.#open?.kind === kind ? [] : [...this.#close(), this.#begin({ kind }, block)]
  }

  #begin(open: OpenBlock, block: AnswerBlock): MessageEvent {
    this.#open = open
    this.#index++
    return { type: 'content_block_start', index: this.#index, content_block: block }
  }

  #delta(delta: { type: string; [key: string]: unknown }): MessageEvent {
    return { type: 'content_block_delta', index: this.#index, delta }
  }

  #close(): MessageEvent[] {
    if (!this.#open) return []
    this.#open = null
    return [{ type: 'content_block_stop', index: this.#index }]
  }
}

function isComplete(call: PendingCall | undefined): boolean {
  try {
    JSON.parse(call?.json ?? '')
    return true
  } catch {
    return false
  }
}
