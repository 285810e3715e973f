import type {
  ChatChunk,
  ChatCompletion,
  CompletionUsage,
  FinishReason,
  ToolCall,
  ToolCallDelta,
} from '../core/chat.ts'
import { isRecord } from '#platform/kernel/unknown'

type Message = ChatCompletion['choices'][number]['message']
type Delta = ChatChunk['choices'][number]['delta']

/** Id, time and model that all parts of an answer carry. */
export interface AnswerIdentity {
  id: string
  created: number
  model: string
}

interface CollectedChoice {
  content: string | null
  refusal: string | null
  reasoning: string
  /** Thoughts in Anthropic's form. */
  thoughts: unknown[]
  /** What was thought since the last of them: its signature comes at its end. */
  unsigned: string
  toolCalls: ToolCall[]
  finishReason: FinishReason | null
  logprobs: Record<string, unknown> | null
}

/** Puts the chunks of a stream together: for the estimate of its tokens, the response cache and replays. */
export class Collector {
  readonly #choices: CollectedChoice[] = []
  /** The text that ended the answer, which only Anthropic names. */
  #stopSequence: string | null = null

  add(chunks: readonly ChatChunk[]): void {
    for (const { choices, stop_sequence: sequence } of chunks) {
      if (typeof sequence === 'string') this.#stopSequence = sequence
      for (const { index, delta, finish_reason: finishReason, logprobs } of choices) {
        const choice = this.#choice(index)
        if (typeof delta.content === 'string') choice.content = (choice.content ?? '') + delta.content
        if (typeof delta.refusal === 'string') choice.refusal = (choice.refusal ?? '') + delta.refusal
        addThoughts(choice, delta)
        for (const call of delta.tool_calls ?? []) addToolCall(choice.toolCalls, call)
        if (finishReason) choice.finishReason = finishReason
        if (isRecord(logprobs)) addLogprobs((choice.logprobs ??= {}), logprobs)
      }
    }
  }

  #choice(index: number): CollectedChoice {
    return (this.#choices[index] ??= {
      content: null,
      refusal: null,
      reasoning: '',
      thoughts: [],
      unsigned: '',
      toolCalls: [],
      finishReason: null,
      logprobs: null,
    })
  }

  /** True if every choice has ended; a stream that ends before was cut. */
  get isFinished(): boolean {
    return this.#choices.length > 0 && this.#choices.every(choice => choice.finishReason !== null)
  }

  get finishReason(): FinishReason | null {
    return this.#choices[0]?.finishReason ?? null
  }

  /** All that the model wrote. */
  get text(): string {
    return this.#choices
      .map(({ content, refusal, reasoning, toolCalls }) =>
        [reasoning, content, refusal, ...toolCalls.map(({ function: f }) => `${f.name}${f.arguments}`)].join(
          '',
        ),
      )
      .join('')
  }

  completion(identity: AnswerIdentity, usage: CompletionUsage): ChatCompletion {
    return {
      ...identity,
      object: 'chat.completion',
      choices: this.#choices.map((choice, index) => ({
        index,
        message: {
          role: 'assistant',
          content: choice.content,
          ...(choice.refusal === null ? {} : { refusal: choice.refusal }),
          ...(choice.reasoning ? { reasoning_content: choice.reasoning } : {}),
          ...(choice.thoughts.length ? { thinking_blocks: choice.thoughts } : {}),
          ...(choice.toolCalls.length ? { tool_calls: choice.toolCalls } : {}),
        },
        finish_reason: choice.finishReason,
        ...(choice.logprobs ? { logprobs: choice.logprobs } : {}),
      })),
      usage,
      ...(this.#stopSequence === null ? {} : { stop_sequence: this.#stopSequence }),
    }
  }
}

function addThoughts(choice: CollectedChoice, delta: Delta): void {
  const { reasoning_content: text, thinking_blocks: blocks } = delta
  if (typeof text === 'string') {
    choice.reasoning += text
    choice.unsigned += text
  }
  if (!Array.isArray(blocks)) return
  for (const block of blocks.filter(isRecord)) {
    const isSigned = block['type'] === 'thinking'
    choice.thoughts.push(isSigned ? { thinking: choice.unsigned, ...block } : block)
    if (isSigned) choice.unsigned = ''
  }
}

/** The lists of all chunks in their order. */
function addLogprobs(known: Record<string, unknown>, added: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(added)) {
    const list = known[key]
    if (Array.isArray(list) && Array.isArray(value)) for (const each of value) list.push(each)
    else if (!list) known[key] = Array.isArray(value) ? [...value] : value
  }
}

function addToolCall(
  calls: ToolCall[],
  { index, id, function: part, extra_content: signature }: ToolCallDelta,
): void {
  const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } })
  if (id) call.id = id
  if (part?.name) call.function.name += part.name
  if (part?.arguments) call.function.arguments += part.arguments
  if (signature) call.extra_content = signature
}

/** All that the model wrote in an answer. */
export const textOfCompletion = ({ choices }: ChatCompletion): string =>
  choices
    .map(({ message: { content, refusal, reasoning_content: reasoning, tool_calls: calls = [] } }) =>
      [
        typeof reasoning === 'string' ? reasoning : '',
        content,
        refusal,
        ...calls.map(({ function: f }) => `${f.name}${f.arguments}`),
      ].join(''),
    )
    .join('')

/** A stored answer as the chunks of a stream. */
export function chunksOfCompletion({
  id,
  created,
  model,
  choices,
  svc_meta: meta,
  stop_sequence: sequence,
}: ChatCompletion): ChatChunk[] {
  const common = {
    id,
    object: 'chat.completion.chunk' as const,
    created,
    model,
    ...(meta === undefined ? {} : { svc_meta: meta }),
  }
  return choices.flatMap(({ index, message, finish_reason: finishReason, logprobs }) => {
    const deltas = deltasOf(message)
    return [
      ...deltas.map((delta, at) => {
        const isAnswer = at === deltas.length - 1
        const choice = { index, delta, finish_reason: null, ...(isAnswer && logprobs ? { logprobs } : {}) }
        return { ...common, choices: [choice] }
      }),
      {
        ...common,
        ...(sequence === undefined ? {} : { stop_sequence: sequence }),
        choices: [{ index, delta: {}, finish_reason: finishReason }],
      },
    ]
  })
}

/** The thoughts, each before its signature as in the stream of the provider, and then the answer. */
function deltasOf({ role, tool_calls: calls, ...rest }: Message): Delta[] {
  const { thinking_blocks: blocks, reasoning_content: reasoning, ...answer } = rest
  const thoughts = Array.isArray(blocks) ? blocks.filter(isRecord).flatMap(thoughtDeltas) : null
  const tools = calls ? { tool_calls: calls.map((call, at) => ({ index: at, ...call })) } : {}
  if (!thoughts) return [{ role, ...rest, ...tools }]
  const signed = thoughts.reduce((sum, delta) => sum + lengthOf(delta['reasoning_content']), 0)
  const unsigned = typeof reasoning === 'string' ? reasoning.slice(signed) : ''
  const [first, ...others] = [
    ...thoughts,
    { ...(unsigned ? { reasoning_content: unsigned } : {}), ...answer, ...tools },
  ]
  return [{ role, ...first }, ...others]
}

const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0)

function thoughtDeltas(block: Record<string, unknown>): Delta[] {
  if (block['type'] !== 'thinking') return [{ thinking_blocks: [block] }]
  const { thinking, ...signature } = block
  const end = { thinking_blocks: [signature] }
  return typeof thinking === 'string' && thinking ? [{ reasoning_content: thinking }, end] : [end]
}
