import type { ChatChunk } from '../../core/chat.ts'
import type { TokenUsage } from '../../core/model.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import type { StreamReader } from '../adapter.ts'
import { jsonOf, malformed } from '../body.ts'
import type { SseEvent } from '../transport/index.ts'
import { countOf, recordOf, stringOf } from '../usage.ts'
import { finishOf, messageUsage, refusalOf } from './response.ts'

type Choice = ChatChunk['choices'][number]

/** Reads the events of a message. Tool calls are numbered from 0 in the order of their blocks. */
export class MessageStreamReader implements StreamReader {
  readonly #model: string
  readonly #created = Math.floor(Date.now() / 1000)
  #id = ''
  #usage: Record<string, unknown> | null = null
  /** Index of a block -> its tool call, and whether any of its arguments have come. */
  readonly #tools = new Map<number, { index: number; hasInput: boolean }>()
  #hasReason = false
  #isOver = false

  constructor({ model }: UpstreamCall) {
    this.#model = model.id
  }

  take({ data }: SseEvent): ChatChunk[] {
    const event = jsonOf(data)
    switch (event.type) {
      case 'message_start':
        return this.#start(recordOf(event.message))
      case 'content_block_start':
        return this.#blockStart(countOf(event.index), recordOf(event.content_block))
      case 'content_block_delta':
        return this.#blockDelta(countOf(event.index), recordOf(event.delta))
      case 'content_block_stop':
        return this.#blockStop(countOf(event.index))
      case 'message_delta':
        return this.#messageDelta(event)
      case 'message_stop':
        this.#isOver = true
        return []
      case undefined:
        throw malformed()
      default:
        // Pings, and events that later versions of the API add.
        return []
    }
  }

  isComplete(): boolean {
    return this.#isOver && this.#hasReason
  }

  usage(): TokenUsage | null {
    return this.#usage && messageUsage(this.#usage)
  }

  #start(message: Record<string, unknown>): ChatChunk[] {
    this.#id = stringOf(message.id)
    if (isRecord(message.usage)) this.#usage = message.usage
    return this.#chunk({ role: 'assistant', content: '' })
  }

  #blockStart(at: number, block: Record<string, unknown>): ChatChunk[] {
    if (block.type === 'redacted_thinking') return this.#chunk({ thinking_blocks: [block] })
    if (block.type === 'text' && block.text) return this.#chunk({ content: stringOf(block.text) })
    if (block.type !== 'tool_use') return []
    const index = this.#tools.size
    this.#tools.set(at, { index, hasInput: false })
    const call = { name: stringOf(block.name), arguments: '' }
    return this.#chunk({ tool_calls: [{ index, id: stringOf(block.id), type: 'function', function: call }] })
  }

  #blockDelta(at: number, delta: Record<string, unknown>): ChatChunk[] {
    const tool = this.#tools.get(at)
    switch (delta.type) {
      case 'text_delta':
        return this.#chunk({ content: stringOf(delta.text) })
      case 'input_json_delta': {
        const args = stringOf(delta.partial_json)
        if (!tool || !args) return []
        tool.hasInput = true
        return this.#chunk({ tool_calls: [{ index: tool.index, function: { arguments: args } }] })
      }
      case 'thinking_delta':
        return this.#chunk({ reasoning_content: stringOf(delta.thinking) })
      case 'signature_delta':
        return this.#chunk({ thinking_blocks: [{ type: 'thinking', signature: stringOf(delta.signature) }] })
      default:
        return []
    }
  }

  /** A tool without arguments sends none: callers expect JSON. */
  #blockStop(at: number): ChatChunk[] {
    const tool = this.#tools.get(at)
    if (!tool || tool.hasInput) return []
    return this.#chunk({ tool_calls: [{ index: tool.index, function: { arguments: '{}' } }] })
  }

  /** Its counts are those of the whole message so far; some are left out where they did not change. */
  #messageDelta({ delta, usage }: Record<string, unknown>): ChatChunk[] {
    const counted = Object.entries(recordOf(usage)).filter(([, value]) => value !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(counted) }
    const { stop_reason: reason, stop_sequence: sequence, stop_details: details } = recordOf(delta)
    if (!reason) return []
    this.#hasReason = true
    const refusal = refusalOf(details)
    const chunks = this.#chunk(refusal ? { refusal } : {}, finishOf(stringOf(reason)))
    return typeof sequence === 'string'
      ? chunks.map(chunk => ({ ...chunk, stop_sequence: sequence }))
      : chunks
  }

  #chunk(delta: Choice['delta'], finish: Choice['finish_reason'] = null): ChatChunk[] {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return [
      { id: this.#id, object: 'chat.completion.chunk', created: this.#created, model: this.#model, choices },
    ]
  }
}
