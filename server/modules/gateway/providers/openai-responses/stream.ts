import type { ChatChunk } from '../../core/chat.ts'
import type { TokenUsage } from '../../core/model.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import type { StreamReader } from '../adapter.ts'
import { jsonOf, malformed } from '../body.ts'
import type { SseEvent } from '../transport/index.ts'
import { countOf, recordOf, stringOf } from '../usage.ts'
import { failed, finishOf, responseUsage } from './response.ts'

type Choice = ChatChunk['choices'][number]

/** Reads the events of a response. Its function calls become tool calls, numbered from 0. */
export class ResponseStreamReader implements StreamReader {
  readonly #model: string
  #id = ''
  #created = 0
  #usage: TokenUsage | null = null
  /** Output index of a function call -> its number. */
  readonly #tools = new Map<number, number>()
  #isOver = false

  constructor({ model }: UpstreamCall) {
    this.#model = model.id
  }

  take({ data }: SseEvent): ChatChunk[] {
    if (data === '[DONE]') return []
    const event = jsonOf(data)
    switch (event.type) {
      case 'response.created':
        return this.#start(recordOf(event.response))
      case 'response.output_item.added':
        return this.#item(countOf(event.output_index), recordOf(event.item))
      case 'response.output_text.delta':
        return this.#chunk({ content: stringOf(event.delta) })
      case 'response.refusal.delta':
        return this.#chunk({ refusal: stringOf(event.delta) })
      case 'response.reasoning_summary_part.added':
        // Its parts are paragraphs, of which each has a title.
        return countOf(event.summary_index) ? this.#chunk({ reasoning_content: '\n' }) : []
      case 'response.reasoning_summary_text.delta':
        return this.#chunk({ reasoning_content: stringOf(event.delta) })
      case 'response.function_call_arguments.delta':
        return this.#arguments(countOf(event.output_index), stringOf(event.delta))
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(recordOf(event.response))
      case 'response.failed':
        return this.#fail(recordOf(event.response))
      case 'error':
        throw failed({ error: event }, this.#usage)
      case undefined:
        throw malformed()
      default:
        return []
    }
  }

  isComplete(): boolean {
    return this.#isOver
  }

  usage(): TokenUsage | null {
    return this.#usage
  }

  #start(response: Record<string, unknown>): ChatChunk[] {
    this.#id = stringOf(response.id)
    this.#created = countOf(response.created_at)
    return this.#chunk({ role: 'assistant', content: '' })
  }

  #item(at: number, item: Record<string, unknown>): ChatChunk[] {
    if (item.type !== 'function_call') return []
    const index = this.#tools.size
    this.#tools.set(at, index)
    const call = { name: stringOf(item.name), arguments: stringOf(item.arguments) }
    return this.#chunk({
      tool_calls: [{ index, id: stringOf(item.call_id), type: 'function', function: call }],
    })
  }

  #arguments(at: number, text: string): ChatChunk[] {
    const index = this.#tools.get(at)
    return index === undefined ? [] : this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] })
  }

  #end(response: Record<string, unknown>): ChatChunk[] {
    this.#count(response)
    this.#isOver = true
    return this.#chunk({}, finishOf(response, this.#tools.size > 0))
  }

  #fail(response: Record<string, unknown>): never {
    this.#count(response)
    throw failed(response, this.#usage)
  }

  #count({ usage }: Record<string, unknown>): void {
    if (isRecord(usage)) this.#usage = responseUsage(usage)
  }

  #chunk(delta: Choice['delta'], finish: Choice['finish_reason'] = null): ChatChunk[] {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return [
      { id: this.#id, object: 'chat.completion.chunk', created: this.#created, model: this.#model, choices },
    ]
  }
}
