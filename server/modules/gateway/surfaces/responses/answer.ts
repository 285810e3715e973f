import type { ChatCompletion, CompletionUsage, FinishReason } from '../../core/chat.ts'
import { isSummarized, reasoningItem, summaryOf, type ReasoningItem } from './reasoning.ts'
import type { ResponsesBody } from './schema.ts'

interface Text {
  type: 'output_text'
  text: string
  annotations: never[]
  logprobs: never[]
}
interface Refusal {
  type: 'refusal'
  refusal: string
}
export type OutputPart = Text | Refusal
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface MessageItem {
  id: string
  type: 'message'
  role: 'assistant'
  status: ItemStatus
  content: OutputPart[]
}
export interface CallItem {
  id: string
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
  status: ItemStatus
}
export type OutputItem = ReasoningItem | MessageItem | CallItem

export const textPart = (text: string): Text => ({ type: 'output_text', text, annotations: [], logprobs: [] })
export const refusalPart = (refusal: string): Refusal => ({ type: 'refusal', refusal })

/** How an answer ended. */
export interface Ending {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  incomplete_details: { reason: 'max_output_tokens' | 'content_filter' } | null
  error: { code: string; message: string } | null
}

export function endingOf(reason: FinishReason | null | undefined): Ending {
  const isCut = reason === 'length'
  if (!isCut && reason !== 'content_filter')
    return { status: 'completed', incomplete_details: null, error: null }
  const details = { reason: isCut ? 'max_output_tokens' : 'content_filter' } as const
  return { status: 'incomplete', incomplete_details: details, error: null }
}

/** What all responses to one request have in common. */
export interface ResponseHead {
  id: string
  created: number
  model: string
  meta?: unknown
}

/** A response object; it repeats what the caller asked for, as OpenAI's clients expect. */
export function responseObject(
  body: ResponsesBody,
  { id, created, model, meta }: ResponseHead,
  ending: Ending,
  { output, usage }: { output: readonly OutputItem[]; usage?: CompletionUsage | undefined },
) {
  return {
    id,
    object: 'response' as const,
    created_at: created,
    ...ending,
    model,
    output: [...output],
    usage: usage ? responseUsage(usage) : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: summaryOf(body) },
    store: false,
    temperature: body.temperature ?? null,
    text: body.text?.format ? body.text : { ...body.text, format: { type: 'text' as const } },
    tool_choice: body.tool_choice ?? ('auto' as const),
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: 'disabled' as const,
    ...(body.user === undefined ? {} : { user: body.user }),
    ...(meta === undefined ? {} : { svc_meta: meta }),
  }
}

export function responseOf(body: ResponsesBody, completion: ChatCompletion) {
  const { id, created, model, usage } = completion
  const [choice] = completion.choices
  const ending = endingOf(choice?.finish_reason)
  const head = { id, created, model, meta: completion['svc_meta'] }
  return responseObject(body, head, ending, { output: outputOf(completion, isSummarized(body)), usage })
}

function outputOf({ id, choices: [choice] }: ChatCompletion, summarized: boolean): OutputItem[] {
  if (!choice) return []
  const { content, refusal, tool_calls: calls = [] } = choice.message
  const status = endingOf(choice.finish_reason).status === 'completed' ? 'completed' : 'incomplete'
  const thought = choice.message['reasoning_content']
  const parts = [...(content ? [textPart(content)] : []), ...(refusal ? [refusalPart(refusal)] : [])]
  const message: MessageItem = {
    id: itemId('msg', id, 0),
    type: 'message',
    role: 'assistant',
    status,
    content: parts,
  }
  return [
    ...(typeof thought === 'string' && thought
      ? [reasoningItem(itemId('rs', id, 0), thought, { status: 'completed', summarized })]
      : []),
    ...(parts.length || !calls.length ? [message] : []),
    ...calls.map((call, at) => callItem(itemId('fc', id, at), call.id, { ...call.function, status })),
  ]
}

export const callItem = (
  id: string,
  callId: string,
  call: { name: string; arguments: string; status: ItemStatus },
): CallItem => ({ id, type: 'function_call', call_id: callId, ...call })

/** Unique within all responses, and the same whenever the same response is made. */
export const itemId = (kind: 'msg' | 'rs' | 'fc', responseId: string, at: number): string =>
  `${kind}_${responseId.replace(/^gen-/, '')}_${at}`

export const responseUsage = (usage: CompletionUsage) => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: {
    cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cache_write_tokens: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
  },
  output_tokens: usage.completion_tokens,
  output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
  total_tokens: usage.total_tokens,
  ...(usage.cost === undefined ? {} : { cost: usage.cost }),
})
