import type { ChatChunk, ToolCallDelta } from '../../core/chat.ts'
import type { TokenUsage } from '../../core/model.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import type { StreamReader } from '../adapter.ts'
import type { SseEvent } from '../transport/index.ts'
import { countOf, recordOf, stringOf } from '../usage.ts'
import { jsonOf } from '../body.ts'
import { chatUsage, contentOf, finishWith, signatureOf } from './response.ts'

type Choice = ChatChunk['choices'][number]

interface StartedTool {
  id: string
  number: number | null
}

/** Reads chunks of chat completions: the first of a choice has the role, tool calls are numbered from 0. */
export class ChatStreamReader implements StreamReader {
  readonly #call: UpstreamCall
  /** Of each choice that was begun: whether it has ended, and its tool calls in order. */
  readonly #choices = new Map<number, { isDone: boolean; tools: StartedTool[] }>()
  #usage: TokenUsage | null = null
  #isOver = false

  constructor(call: UpstreamCall) {
    this.#call = call
  }

  take({ data }: SseEvent): ChatChunk[] {
    if (data === '[DONE]') {
      this.#isOver = true
      return []
    }
    const body = jsonOf(data)
    if (isRecord(body.usage)) this.#count(body.usage)
    if (!Array.isArray(body.choices) || !body.choices.length) return []
    const { usage: _usage, ...rest } = body
    const choices = body.choices.filter(isRecord).map(choice => this.#choice(choice))
    return [
      {
        ...rest,
        id: stringOf(body.id),
        object: 'chat.completion.chunk',
        created: countOf(body.created),
        model: this.#call.model.id,
        choices,
      },
    ]
  }

  isComplete(): boolean {
    return this.#isOver && this.#choices.size > 0 && [...this.#choices.values()].every(({ isDone }) => isDone)
  }

  usage(): TokenUsage | null {
    return this.#usage
  }

  #count(usage: Record<string, unknown>): void {
    this.#usage = chatUsage(usage, this.#call.model.provider)
  }

  #choice(choice: Record<string, unknown>): Choice {
    const index = countOf(choice.index)
    const known = this.#choices.get(index)
    const state: { isDone: boolean; tools: StartedTool[] } = known ?? { isDone: false, tools: [] }
    if (!known) this.#choices.set(index, state)
    // Moonshot reports usage within the last choice.
    if (isRecord(choice.usage)) this.#count(choice.usage)
    const delta = deltaOf(recordOf(choice.delta), state.tools)
    if (!known) delta.role = 'assistant'
    const reason = stringOf(choice.finish_reason)
    if (reason) state.isDone = true
    return {
      index,
      delta,
      ...(choice.logprobs ? { logprobs: choice.logprobs } : {}),
      finish_reason: reason ? finishWith(reason, state.tools.length > 0) : null,
    }
  }
}

function deltaOf(delta: Record<string, unknown>, tools: StartedTool[]): Choice['delta'] {
  const { role: _role, content, tool_calls, ...rest } = delta
  const own: Choice['delta'] = { ...rest }
  if (content !== undefined) Object.assign(own, contentOf(content))
  if (Array.isArray(tool_calls) && tool_calls.length)
    own.tool_calls = tool_calls.filter(isRecord).map(call => toolDelta(call, tools))
  return own
}

/** Some providers number from 1, number all with 0, or leave the number out: a new id begins the next tool call. */
function toolDelta(call: Record<string, unknown>, tools: StartedTool[]): ToolCallDelta {
  const id = stringOf(call.id)
  const number = typeof call.index === 'number' ? call.index : null
  const { name, arguments: args } = recordOf(call.function)
  const text = typeof args === 'string' ? args : args ? JSON.stringify(args) : ''
  const known = tools.findLastIndex(tool => isSame(tool, id, number))
  if (known !== -1) return { index: known, function: { arguments: text }, ...signatureOf(call) }
  const index = tools.push({ id, number }) - 1
  return {
    index,
    id: id || `call_${index}`,
    type: 'function',
    function: { name: stringOf(name), arguments: text },
    ...signatureOf(call),
  }
}

const isSame = (tool: StartedTool, id: string, number: number | null): boolean =>
  id && tool.id ? tool.id === id : number === null || tool.number === number
