import type { ChatMessage, ChatRequest, ContentPart, ToolDefinition } from '../../core/chat.ts'
import { unsupported } from '../errors.ts'
import { presentFields, requireField } from '../fields.ts'
import type { Item, Part, ResponsesBody, Tool } from './schema.ts'

const STATELESS = 'Responses are not stored: send the whole conversation as input'

/** The canonical form of a request in the form of OpenAI's Responses. ApiError 400 for what the gateway does not offer. */
export function requestOf(body: ResponsesBody): ChatRequest {
  requireOffered(body)
  return {
    // Without one: the default model of the account.
    model: body.model ?? '',
    messages: messagesOf(body),
    ...(body.tools?.length ? { tools: body.tools.map(toolOf) } : {}),
    ...formatOf(body.text?.format),
    ...presentFields({
      max_completion_tokens: body.max_output_tokens,
      stream: body.stream,
      temperature: body.temperature,
      top_p: body.top_p,
      parallel_tool_calls: body.parallel_tool_calls,
      user: body.user ?? body.safety_identifier,
      prompt_cache_key: body.prompt_cache_key,
      reasoning_effort: body.reasoning?.effort,
      verbosity: body.text?.verbosity,
      tool_choice: choiceOf(body.tool_choice),
      // Other tiers have prices of their own: the pipeline refuses them.
      service_tier: ['auto', 'default'].includes(body.service_tier ?? 'auto') ? undefined : body.service_tier,
    }),
  }
}

function requireOffered(body: ResponsesBody): void {
  if (body.previous_response_id) throw unsupported('previous_response_id', STATELESS)
  if (body.conversation) throw unsupported('conversation', STATELESS)
  if (body.prompt) throw unsupported('prompt', 'Stored prompts are not offered: send instructions and input')
  if (body.background)
    throw unsupported('background', 'Responses in the background are not offered: use stream')
  if (body.top_logprobs) throw unsupported('top_logprobs', 'Log probabilities are not offered here')
}

function messagesOf({ instructions, input }: ResponsesBody): ChatMessage[] {
  const messages: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : []
  if (typeof input === 'string') return [...messages, { role: 'user', content: input }]
  for (const [at, item] of input.entries()) addItem(messages, item, `input[${at}]`)
  return messages
}

function addItem(messages: ChatMessage[], item: Item, path: string): void {
  const type = item.type ?? 'message'
  if (type === 'message') messages.push(messageOf(item, path))
  else if (type === 'function_call') addCall(messages, item, path)
  else if (type === 'function_call_output') messages.push(...resultOf(item, path))
  // What a model thought is of use only to the provider that stored it.
  else if (type !== 'reasoning') throw unsupported(path, `Items of the type ${type} are not offered`)
}

function messageOf({ role, content }: Item, path: string): ChatMessage {
  const known = requireField(content, `${path}.content`)
  return {
    role: requireField(role, `${path}.role`),
    content: typeof known === 'string' ? known : partsOf(known, `${path}.content`),
  }
}

/** The calls of one turn are one message. */
function addCall(messages: ChatMessage[], item: Item, path: string): void {
  const call = {
    id: requireField(item.call_id, `${path}.call_id`),
    type: 'function' as const,
    function: {
      name: requireField(item.name, `${path}.name`),
      arguments: requireField(item.arguments, `${path}.arguments`),
    },
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call]
  else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
}

/** A tool message holds text: images of a result follow as a message of the user. */
function resultOf(item: Item, path: string): ChatMessage[] {
  const callId = requireField(item.call_id, `${path}.call_id`)
  const output = requireField(item.output, `${path}.output`)
  if (typeof output === 'string') return [{ role: 'tool', tool_call_id: callId, content: output }]
  const texts = output.filter(({ type }) => type === 'input_text').map(({ text = '' }) => text)
  const others = output.filter(({ type }) => type !== 'input_text')
  const images: ChatMessage[] = others.length
    ? [{ role: 'user', content: partsOf(others, `${path}.output`) }]
    : []
  return [{ role: 'tool', tool_call_id: callId, content: texts.join('\n') }, ...images]
}

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

function toolOf(tool: Tool, at: number): ToolDefinition {
  if (tool.type !== 'function')
    throw unsupported(`tools[${at}].type`, `Built-in tools (${tool.type}) are not offered: declare functions`)
  return {
    type: 'function',
    function: {
      name: requireField(tool.name, `tools[${at}].name`),
      ...(tool.description ? { description: tool.description } : {}),
      ...(tool.parameters ? { parameters: tool.parameters } : {}),
      ...(tool.strict === undefined || tool.strict === null ? {} : { strict: tool.strict }),
    },
  }
}

function choiceOf(choice: ResponsesBody['tool_choice']): unknown {
  if (typeof choice !== 'object') return choice
  if (choice.type !== 'function') throw unsupported('tool_choice', `The choice ${choice.type} is not offered`)
  return { type: 'function', function: { name: requireField(choice.name, 'tool_choice.name') } }
}

type Format = NonNullable<NonNullable<ResponsesBody['text']>['format']>

function formatOf(format: Format | undefined): Partial<ChatRequest> {
  if (!format || format.type === 'text') return {}
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } }
  const schema = requireField(format.schema, 'text.format.schema')
  return {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: requireField(format.name, 'text.format.name'),
        schema,
        strict: format.strict ?? null,
      },
    },
  }
}
