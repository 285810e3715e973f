import type { ChatMessage, ChatRequest, ToolDefinition } from '../../core/chat.ts'
import { unsupported } from '../errors.ts'
import { presentFields, requireField } from '../fields.ts'
import { Conversation } from './conversation.ts'
import type { ResponsesBody, Tool } from './schema.ts'

const STATELESS = 'Responses are not stored: send the whole conversation as input'

/** The canonical form of a request in the form of OpenAI's Responses. ApiError 400 for what the gateway does not offer. */
export function requestOf(body: ResponsesBody): ChatRequest {
  requireOffered(body)
  return {
    // Without one: the default model of the account.
    model: body.model ?? '',
    messages: messagesOf(body),
    ...toolsOf(body),
    ...formatOf(body.text?.format),
    ...presentFields({
      max_completion_tokens: body.max_output_tokens,
      stream: body.stream,
      temperature: body.temperature,
      top_p: body.top_p,
      user: body.user ?? body.safety_identifier,
      prompt_cache_key: body.prompt_cache_key,
      reasoning_effort: body.reasoning?.effort,
      verbosity: body.text?.verbosity,
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
  const conversation = new Conversation(messages)
  for (const [at, item] of input.entries()) conversation.add(item, `input[${at}]`)
  return conversation.end()
}

/** Without tools, chat completions refuse what says how to call them. */
function toolsOf({ tools, tool_choice, parallel_tool_calls }: ResponsesBody): Partial<ChatRequest> {
  const choice = choiceOf(tool_choice)
  if (!tools?.length) return {}
  return { tools: tools.map(toolOf), ...presentFields({ tool_choice: choice, parallel_tool_calls }) }
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
        ...presentFields({ description: format.description }),
        schema,
        strict: format.strict ?? null,
      },
    },
  }
}
