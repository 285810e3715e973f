import type { ChatMessage, ChatRequest, ToolDefinition } from '../../core/chat.ts'
import { unsupported } from '../errors.ts'
import { presentFields, requireField } from '../fields.ts'
import { Conversation } from './conversation.ts'
import { isSummarized, summaryOf } from './reasoning.ts'
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
      // Read by the provider's own Responses API alone: elsewhere thoughts come without being asked for.
      reasoning: isSummarized(body) ? { summary: summaryOf(body) } : undefined,
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
  if (body.top_logprobs) throw unsupported('top_logprobs', NO_LOGPROBS)
  if (body.include?.includes('message.output_text.logprobs')) throw unsupported('include', NO_LOGPROBS)
  if (body.truncation === 'auto')
    throw unsupported('truncation', 'Nothing of the input is dropped: leave it out and send fewer items')
  if (body.context_management?.length)
    throw unsupported('context_management', 'Conversations are not compacted: leave it out')
  if (body.moderation) throw unsupported('moderation', 'Requests and answers are not moderated here')
  requireKnownNames(body)
}

const NO_LOGPROBS = 'Log probabilities are not offered here'

/** Parameters of chat completions, by their names in this API; null for those that it lacks. OpenAI refuses them too. */
const OF_CHAT: Readonly<Record<string, string | null>> = {
  frequency_penalty: null,
  functions: 'tools',
  logit_bias: null,
  logprobs: null,
  max_completion_tokens: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  messages: 'input',
  modalities: null,
  n: null,
  presence_penalty: null,
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
  seed: null,
  stop: null,
  verbosity: 'text.verbosity',
  web_search_options: null,
}

/** A limit or a format that is ignored costs more than a request that is refused. */
function requireKnownNames(body: object): void {
  for (const [name, value] of Object.entries(body)) {
    const known = OF_CHAT[name]
    if (known === undefined || value === null) continue
    throw unsupported(name, known ? `Its name in this API is ${known}` : 'This API does not have it')
  }
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
  const { type, mode = 'auto', tools = [] } = choice
  if (type === 'function') return functionOf(choice, 'tool_choice')
  if (type !== 'allowed_tools') throw unsupported('tool_choice', `The choice ${type} is not offered`)
  const allowed = tools.map((tool, at) => {
    if (tool.type === 'function') return functionOf(tool, `tool_choice.tools[${at}]`)
    throw unsupported(`tool_choice.tools[${at}].type`, `Built-in tools (${tool.type}) are not offered`)
  })
  return { type, allowed_tools: { mode, tools: allowed } }
}

const functionOf = ({ name }: { name?: string }, path: string) => ({
  type: 'function',
  function: { name: requireField(name, `${path}.name`) },
})

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
