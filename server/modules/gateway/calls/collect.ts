import type {
  ChatChunk,
  ChatCompletion,
  CompletionUsage,
  FinishReason,
  ToolCall,
  ToolCallDelta,
} from '../core/chat.ts'

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
  toolCalls: ToolCall[]
  finishReason: FinishReason | null
  logprobs: unknown
}

/** Puts the chunks of a stream together: for the estimate of its tokens, the response cache and replays. */
export class Collector {
  readonly #choices: CollectedChoice[] = []

  add(chunks: readonly ChatChunk[]): void {
    for (const { choices } of chunks)
      for (const { index, delta, finish_reason: finishReason, logprobs } of choices) {
        const choice = this.#choice(index)
        if (typeof delta.content === 'string') choice.content = (choice.content ?? '') + delta.content
        if (typeof delta.refusal === 'string') choice.refusal = (choice.refusal ?? '') + delta.refusal
        if (typeof delta['reasoning_content'] === 'string') choice.reasoning += delta['reasoning_content']
        for (const call of delta.tool_calls ?? []) addToolCall(choice.toolCalls, call)
        if (finishReason) choice.finishReason = finishReason
        if (logprobs) choice.logprobs = logprobs
      }
  }

  #choice(index: number): CollectedChoice {
    return (this.#choices[index] ??= {
      content: null,
      refusal: null,
      reasoning: '',
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
          ...(choice.toolCalls.length ? { tool_calls: choice.toolCalls } : {}),
        },
        finish_reason: choice.finishReason,
        ...(choice.logprobs ? { logprobs: choice.logprobs } : {}),
      })),
      usage,
    }
  }
}

function addToolCall(calls: ToolCall[], { index, id, function: part }: ToolCallDelta): void {
  const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } })
  if (id) call.id = id
  if (part?.name) call.function.name += part.name
  if (part?.arguments) call.function.arguments += part.arguments
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
}: ChatCompletion): ChatChunk[] {
  const common = {
    id,
    object: 'chat.completion.chunk' as const,
    created,
    model,
    ...(meta === undefined ? {} : { svc_meta: meta }),
  }
  return choices.flatMap(({ index, message, finish_reason: finishReason, logprobs }) => {
    const { tool_calls: calls, ...rest } = message
    const delta = {
      ...rest,
      ...(calls ? { tool_calls: calls.map((call, at) => ({ index: at, ...call })) } : {}),
    }
    return [
      { ...common, choices: [{ index, delta, finish_reason: null, ...(logprobs ? { logprobs } : {}) }] },
      { ...common, choices: [{ index, delta: {}, finish_reason: finishReason }] },
    ]
  })
}
