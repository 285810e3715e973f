import type { ApiError } from '#platform/kernel/errors'
import type { ChatChunk, CompletionUsage, FinishReason, ToolCallDelta } from '../../core/chat.ts'
import {
  callItem,
  endingOf,
  itemId,
  refusalPart,
  responseObject,
  textPart,
  type CallItem,
  type Ending,
  type MessageItem,
  type OutputItem,
  type OutputPart,
  type ResponseHead,
} from './answer.ts'
import { isSummarized, reasoningItem, thoughtEvents, type ReasoningItem } from './reasoning.ts'
import type { ResponsesBody } from './schema.ts'

export interface ResponseEvent {
  type: string
  sequence_number: number
  [key: string]: unknown
}
type Fields = Record<string, unknown>

const RUNNING: Ending = { status: 'in_progress', incomplete_details: null, error: null }

/** Turns the chunks of one answer into the events of OpenAI's Responses. Tool calls may arrive mixed: each is an item of its own. */
export class ResponseStream {
  readonly #body: ResponsesBody
  readonly #head: ResponseHead
  readonly #output: OutputItem[] = []
  /** Items that are not complete, with their place in the output. */
  readonly #open = new Map<OutputItem, number>()
  readonly #calls = new Map<number, CallItem>()
  #message: MessageItem | null = null
  #reasoning: ReasoningItem | null = null
  #finish: FinishReason | null = null
  #sequence = 0

  constructor(body: ResponsesBody, head: ResponseHead) {
    this.#body = body
    this.#head = head
  }

  begin(): ResponseEvent[] {
    return [
      this.#event('response.created', { response: this.#response(RUNNING) }),
      this.#event('response.in_progress', { response: this.#response(RUNNING) }),
    ]
  }

  push(chunk: ChatChunk): ResponseEvent[] {
    const [choice] = chunk.choices
    if (!choice) return []
    if (choice.finish_reason) this.#finish = choice.finish_reason
    const { content, refusal, tool_calls: calls = [] } = choice.delta
    return [
      ...this.#think(choice.delta['reasoning_content']),
      ...this.#write('output_text', content),
      ...this.#write('refusal', refusal),
      ...calls.flatMap(call => this.#call(call)),
    ]
  }

  end(usage: CompletionUsage): ResponseEvent[] {
    const ending = endingOf(this.#finish)
    const status = ending.status === 'completed' ? 'completed' : 'incomplete'
    const closing = [...this.#open.keys()].flatMap(item => this.#close(item, status))
    const response = this.#response(ending, usage)
    return [...closing, this.#event(`response.${status}`, { response })]
  }

  /** The answer broke off. What was sent stays in the output, marked as incomplete. */
  fail(error: ApiError): ResponseEvent[] {
    for (const item of this.#open.keys()) item.status = 'incomplete'
    const code = error.row.status === 429 ? 'rate_limit_exceeded' : 'server_error'
    const ending: Ending = {
      status: 'failed',
      incomplete_details: null,
      error: { code, message: error.message },
    }
    return [this.#event('response.failed', { response: this.#response(ending) })]
  }

  #think(text: unknown): ResponseEvent[] {
    if (typeof text !== 'string' || !text) return []
    const events: ResponseEvent[] = []
    if (!this.#reasoning) {
      const form = { status: 'in_progress', summarized: isSummarized(this.#body) } as const
      this.#reasoning = reasoningItem(itemId('rs', this.#head.id, this.#output.length), '', form)
      events.push(
        ...this.#add(this.#reasoning),
        this.#thought(this.#reasoning, thoughtEvents.begin(this.#reasoning)),
      )
    }
    return [...events, this.#thought(this.#reasoning, thoughtEvents.add(this.#reasoning, text))]
  }

  #thought(item: ReasoningItem, { type, fields }: ReturnType<typeof thoughtEvents.begin>): ResponseEvent {
    return this.#itemEvent(type, item, fields)
  }

  #write(type: OutputPart['type'], text: string | null | undefined): ResponseEvent[] {
    if (!text) return []
    const events = this.#reasoning ? this.#close(this.#reasoning, 'completed') : []
    this.#message ??= this.#newMessage(events)
    const last = this.#message.content.at(-1)
    if (last?.type !== type) {
      if (last) events.push(...this.#finishPart(this.#message))
      this.#message.content.push(type === 'refusal' ? refusalPart('') : textPart(''))
      events.push(...this.#part(this.#message, 'added'))
    }
    const part = this.#message.content.at(-1)
    if (part?.type === 'refusal') part.refusal += text
    else if (part) part.text += text
    const at = this.#message.content.length - 1
    const logprobs = type === 'refusal' ? {} : { logprobs: [] }
    return [
      ...events,
      this.#itemEvent(`response.${type}.delta`, this.#message, {
        content_index: at,
        delta: text,
        ...logprobs,
      }),
    ]
  }

  #newMessage(events: ResponseEvent[]): MessageItem {
    const id = itemId('msg', this.#head.id, this.#output.length)
    const message: MessageItem = {
      id,
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    }
    events.push(...this.#add(message))
    return message
  }

  #call({ index, id, function: part = {} }: ToolCallDelta): ResponseEvent[] {
    const events: ResponseEvent[] = []
    let call = this.#calls.get(index)
    if (!call) {
      for (const item of [this.#reasoning, this.#message])
        if (item) events.push(...this.#close(item, 'completed'))
      const fresh = { name: part.name ?? '', arguments: '', status: 'in_progress' } as const
      call = callItem(itemId('fc', this.#head.id, this.#output.length), id ?? `call_${index}`, fresh)
      this.#calls.set(index, call)
      events.push(...this.#add(call))
    }
    const { arguments: delta } = part
    if (!delta) return events
    call.arguments += delta
    return [...events, this.#itemEvent('response.function_call_arguments.delta', call, { delta })]
  }

  #add(item: OutputItem): ResponseEvent[] {
    this.#open.set(item, this.#output.length)
    this.#output.push(item)
    const empty = item.type === 'reasoning' ? { ...item, summary: [], content: [] } : item
    return [
      this.#event('response.output_item.added', {
        output_index: this.#output.length - 1,
        item: copyOf(empty),
      }),
    ]
  }

  #close(item: OutputItem, status: 'completed' | 'incomplete'): ResponseEvent[] {
    if (!this.#open.has(item)) return []
    item.status = status
    const ending =
      item.type === 'function_call'
        ? [
            this.#itemEvent('response.function_call_arguments.done', item, {
              name: item.name,
              arguments: item.arguments,
            }),
          ]
        : item.type === 'reasoning'
          ? thoughtEvents.end(item).map(event => this.#thought(item, event))
          : this.#finishPart(item)
    const done = this.#event('response.output_item.done', {
      output_index: this.#open.get(item),
      item: copyOf(item),
    })
    this.#open.delete(item)
    if (item === this.#message) this.#message = null
    if (item === this.#reasoning) this.#reasoning = null
    return [...ending, done]
  }

  #finishPart(item: MessageItem): ResponseEvent[] {
    const part = item.content.at(-1)
    if (!part) return []
    const text = part.type === 'refusal' ? { refusal: part.refusal } : { text: part.text }
    const logprobs = part.type === 'output_text' ? { logprobs: [] } : {}
    const at = item.content.length - 1
    const done = this.#itemEvent(`response.${part.type}.done`, item, {
      content_index: at,
      ...text,
      ...logprobs,
    })
    return [done, ...this.#part(item, 'done')]
  }

  #part(item: MessageItem, change: 'added' | 'done'): ResponseEvent[] {
    const part = { ...item.content.at(-1) }
    const at = item.content.length - 1
    return [this.#itemEvent(`response.content_part.${change}`, item, { content_index: at, part })]
  }

  #itemEvent(type: string, item: OutputItem, fields: Fields): ResponseEvent {
    return this.#event(type, { item_id: item.id, output_index: this.#open.get(item), ...fields })
  }

  #event(type: string, fields: Fields): ResponseEvent {
    return { type, sequence_number: this.#sequence++, ...fields }
  }

  #response(ending: Ending, usage?: CompletionUsage) {
    return responseObject(this.#body, this.#head, ending, { output: this.#output, usage })
  }
}

/** An event shows the item as it was: the item grows on. */
const copyOf = (item: OutputItem): OutputItem =>
  item.type === 'function_call' ? { ...item } : structuredClone(item)
