import type { ChatMessage, ContentPart } from '../../core/chat.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { isRecord } from '#platform/kernel/unknown'
import { callIds } from '../call-ids.ts'
import { effortOf, isForeignThought, omitCache, reasons, requireOneChoice } from '../body.ts'
import { listOf, recordOf, stringOf } from '../usage.ts'

type Item = Record<string, unknown>

/** Keys that both APIs have under the same name. */
const SHARED = [
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'user',
] as const
/** Only where the model does not reason. */
const SAMPLING = ['temperature', 'top_p', 'top_logprobs'] as const

/** A request of the Responses API. The provider stores nothing, as with chat completions. */
export function responsesRequest(call: UpstreamCall, stream: boolean): Item {
  requireOneChoice(call)
  const { model, request, maxTokens } = call
  const text = textConfig(request)
  const { reasoning_effort: effort, tools, tool_choice: choice, parallel_tool_calls: parallel } = request
  return {
    model: model.id,
    input: request.messages.flatMap(itemsOf),
    max_output_tokens: maxTokens,
    store: false,
    ...(stream ? { stream: true } : {}),
    // Without tools, what says how to call them is refused.
    ...(tools?.length
      ? {
          tools: tools.map(tool => ({ type: 'function', strict: false, ...omitCache(tool.function) })),
          ...(choice ? { tool_choice: choiceOf(choice) } : {}),
          ...(typeof parallel === 'boolean' ? { parallel_tool_calls: parallel } : {}),
        }
      : {}),
    ...(text ? { text } : {}),
    ...(effort || isRecord(request.reasoning)
      ? {
          reasoning: {
            ...recordOf(request.reasoning),
            ...(effort ? { effort: effortOf(model, effort) } : {}),
          },
        }
      : {}),
    ...Object.fromEntries(
      [...SHARED, ...(reasons(model, request) ? [] : SAMPLING)]
        .filter(key => request[key] !== undefined && request[key] !== null)
        .map(key => [key, request[key]]),
    ),
  }
}

function textConfig({ response_format: format, verbosity }: UpstreamCall['request']): Item | null {
  const { json_schema: schema } = format ?? {}
  const form =
    format?.type === 'json_schema'
      ? { type: 'json_schema', ...schema, schema: schema?.schema ?? { type: 'object' } }
      : format?.type === 'json_object'
        ? { type: 'json_object' }
        : null
  return form || verbosity ? { ...(form ? { format: form } : {}), ...(verbosity ? { verbosity } : {}) } : null
}

/** `{type: "function", function: {name}}` and `{type: "allowed_tools", allowed_tools: {...}}` lose one level. */
function choiceOf(choice: unknown): unknown {
  if (!isRecord(choice)) return choice
  if (choice.type === 'function') return { type: 'function', name: recordOf(choice.function).name }
  if (choice.type !== 'allowed_tools') return choice
  const { mode, tools } = recordOf(choice.allowed_tools)
  return {
    type: 'allowed_tools',
    mode,
    tools: listOf(tools).map(tool => ({ type: 'function', name: recordOf(recordOf(tool).function).name })),
  }
}

function itemsOf(message: ChatMessage): Item[] {
  if (message.role === 'tool')
    return [
      {
        type: 'function_call_output',
        call_id: callIds.openaiResponses(message.tool_call_id ?? ''),
        output: outputOf(message.content),
      },
    ]
  const type = message.role === 'assistant' ? 'output_text' : 'input_text'
  const content = partsOf(message.content, type)
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    type: 'function_call',
    call_id: callIds.openaiResponses(id),
    name,
    arguments: args,
  }))
  return [...(content.length ? [{ type: 'message', role: message.role, content }] : []), ...calls]
}

function partsOf(content: ChatMessage['content'], type: 'input_text' | 'output_text'): Item[] {
  if (typeof content === 'string') return content ? [{ type, text: content }] : []
  return (content ?? []).filter(part => !isForeignThought(part)).map(part => partOf(part, type))
}

function partOf(part: ContentPart, type: 'input_text' | 'output_text'): Item {
  if (part.type === 'text') return { type, text: stringOf(part.text) }
  if (part.type === 'refusal') return { type: 'refusal', refusal: Reflect.get(part, 'refusal') }
  if (part.type === 'image_url') {
    const { url, detail } = recordOf(part.image_url)
    return { type: 'input_image', image_url: url, detail: detail ?? 'auto' }
  }
  if (part.type === 'file') return { type: 'input_file', ...recordOf(Reflect.get(part, 'file')) }
  return { ...part }
}

/** A text, unless the result has an image. */
function outputOf(content: ChatMessage['content']): string | Item[] {
  if (typeof content === 'string') return content
  if (content?.some(({ type }) => type === 'image_url')) return partsOf(content, 'input_text')
  return (content ?? []).map(part => stringOf(recordOf(part).text)).join('\n')
}
