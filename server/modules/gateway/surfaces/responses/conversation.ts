import type { ChatMessage, ContentPart, ToolCall } from '../../core/chat.ts'
import { unsupported } from '../errors.ts'
import { requireField } from '../fields.ts'
import type { Item, Part } from './schema.ts'

/** Makes messages of items: the calls of one turn are one message, with what the model thought before them. */
export class Conversation {
  readonly #messages: ChatMessage[]
  #thought = ''
  /** Parts of results that no tool message holds. */
  #images: ContentPart[] = []

  constructor(messages: ChatMessage[]) {
    this.#messages = messages
  }

  add(item: Item, path: string): void {
    const type = item.type ?? 'message'
    // Nothing may come between the results of one turn.
    if (type === 'function_call_output') return this.#addResult(item, path)
    this.#addImages()
    if (type === 'reasoning') this.#thought += thoughtOf(item)
    else if (type === 'message') this.#addMessage(messageOf(item, path))
    else if (type === 'function_call') this.#addCall(callOf(item, path))
    else throw unsupported(path, hintOf(type))
  }

  end(): ChatMessage[] {
    this.#addImages()
    return this.#messages
  }

  #addMessage(message: ChatMessage): void {
    this.#messages.push(message)
    this.#addThought(message)
  }

  #addCall(call: ToolCall): void {
    const last = this.#messages.at(-1)
    if (last?.role !== 'assistant')
      return this.#addMessage({ role: 'assistant', content: null, tool_calls: [call] })
    ;(last.tool_calls ??= []).push(call)
    this.#addThought(last)
  }

  /** Some providers need what they thought before a call. */
  #addThought(message: ChatMessage): void {
    if (this.#thought && message.role === 'assistant') {
      const before = message['reasoning_content']
      message['reasoning_content'] = (typeof before === 'string' ? before : '') + this.#thought
    }
    this.#thought = ''
  }

  #addResult(item: Item, path: string): void {
    const callId = requireField(item.call_id, `${path}.call_id`)
    const output = requireField(item.output, `${path}.output`)
    const parts = typeof output === 'string' ? [] : output
    const texts = parts.filter(({ type }) => type === 'input_text').map(({ text = '' }) => text)
    const content = typeof output === 'string' ? output : texts.join('\n')
    this.#messages.push({ role: 'tool', tool_call_id: callId, content })
    const images = parts.filter(({ type }) => type !== 'input_text')
    for (const [at, part] of images.entries()) this.#images.push(partOf(part, `${path}.output[${at}]`))
  }

  /** A tool message holds text: images of results follow as a message of the user. */
  #addImages(): void {
    if (this.#images.length) this.#messages.push({ role: 'user', content: this.#images })
    this.#images = []
  }
}

const hintOf = (type: string): string =>
  // Clients that believe an earlier response to be stored send it.
  type === 'item_reference'
    ? 'Responses are not stored, so an item_reference finds nothing: send the items (store: false)'
    : `Items of the type ${type} are not offered`

const thoughtOf = ({ content, summary }: Item): string => textsOf(content) || textsOf(summary)

const textsOf = (parts: Item['content']): string =>
  Array.isArray(parts) ? parts.map(({ text = '' }) => text).join('') : ''

function messageOf({ role, content }: Item, path: string): ChatMessage {
  const known = requireField(content, `${path}.content`)
  return {
    role: requireField(role, `${path}.role`),
    content: typeof known === 'string' ? known : partsOf(known, `${path}.content`),
  }
}

const callOf = (item: Item, path: string): ToolCall => ({
  id: requireField(item.call_id, `${path}.call_id`),
  type: 'function',
  function: {
    name: requireField(item.name, `${path}.name`),
    arguments: requireField(item.arguments, `${path}.arguments`),
  },
})

function partsOf(parts: Part[], path: string): string | ContentPart[] {
  const mapped = parts.map((part, at) => partOf(part, `${path}[${at}]`))
  const [first] = parts
  // Plain text stays a string, which every provider takes.
  return parts.length === 1 && first && first.type !== 'input_image' ? textOf(first, path) : mapped
}

function partOf(part: Part, path: string): ContentPart {
  if (part.type !== 'input_image') return { type: 'text', text: textOf(part, path) }
  if (!part.image_url) throw unsupported(path, 'Files are not stored: send images as image_url')
  return {
    type: 'image_url',
    image_url: { url: part.image_url, ...(part.detail ? { detail: part.detail } : {}) },
  }
}

function textOf(part: Part, path: string): string {
  if (part.type === 'refusal') return requireField(part.refusal, `${path}.refusal`)
  if (part.type !== 'input_text' && part.type !== 'output_text')
    throw unsupported(path, `Parts of the type ${part.type} are not offered`)
  return requireField(part.text, `${path}.text`)
}
