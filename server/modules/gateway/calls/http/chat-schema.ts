import { Type } from '#platform/http/type'
import { named, Nullable } from '#platform/http/schema'

const OPEN = { additionalProperties: true }
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))
const Limit = Type.Integer({ minimum: 1, maximum: 10_000_000 })

const Part = Type.Object(
  {
    type: Type.String({ description: '`text` or `image_url`', maxLength: 40 }),
    text: Type.Optional(Type.String()),
    image_url: Type.Optional(Type.Object({ url: Type.String(), detail: Type.Optional(Type.String()) }, OPEN)),
  },
  OPEN,
)
const ToolCall = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String(), arguments: Type.String() }, OPEN),
  },
  OPEN,
)
const Role = Type.Union([
  Type.Literal('system'),
  Type.Literal('developer'),
  Type.Literal('user'),
  Type.Literal('assistant'),
  Type.Literal('tool'),
])
const Message = named(
  'ChatMessage',
  Type.Object(
    {
      role: Role,
      content: optional(Type.Union([Type.String(), Type.Array(Part)])),
      name: Type.Optional(Type.String()),
      tool_calls: optional(Type.Array(ToolCall)),
      tool_call_id: Type.Optional(Type.String()),
    },
    OPEN,
  ),
)
const Tool = named(
  'ChatTool',
  Type.Object(
    {
      type: Type.String({ description: '`function`' }),
      function: Type.Optional(
        Type.Object(
          {
            name: Type.String({ maxLength: 200 }),
            description: Type.Optional(Type.String()),
            parameters: Type.Optional(Type.Object({}, OPEN)),
            strict: optional(Type.Boolean()),
          },
          OPEN,
        ),
      ),
    },
    OPEN,
  ),
)
const ResponseFormat = named(
  'ChatResponseFormat',
  Type.Object(
    {
      type: Type.String({ description: '`text`, `json_object` or `json_schema`' }),
      json_schema: Type.Optional(
        Type.Object(
          {
            name: Type.String(),
            schema: Type.Optional(Type.Object({}, OPEN)),
            strict: optional(Type.Boolean()),
          },
          OPEN,
        ),
      ),
    },
    OPEN,
  ),
)

/** The parameters of OpenAI's chat completions that the gateway reads; all others go to the provider as they are. */
export const ChatBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        description:
          '`auto`, `svc/budget`, `svc/balanced`, `svc/performance` or an id of `GET /v1/models`; without it the default model of the account',
        maxLength: 200,
      }),
    ),
    messages: Type.Array(Message, { minItems: 1 }),
    stream: optional(Type.Boolean()),
    stream_options: optional(Type.Object({ include_usage: optional(Type.Boolean()) }, OPEN)),
    max_tokens: optional(Limit),
    max_completion_tokens: optional(Limit),
    n: optional(Type.Integer({ minimum: 1, maximum: 128 })),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    tools: optional(Type.Array(Tool)),
    tool_choice: Type.Optional(Type.Unknown()),
    response_format: optional(ResponseFormat),
    reasoning_effort: optional(Type.String({ maxLength: 40 })),
    user: optional(
      Type.String({ description: 'Your end user: has a budget if the key says so', maxLength: 200 }),
    ),
    prompt_cache_key: optional(
      Type.String({
        description: 'Names a conversation, which stays on its model for an hour',
        maxLength: 200,
      }),
    ),
  },
  OPEN,
)

const Count = Type.Integer({ minimum: 0 })
const Usage = named(
  'CompletionUsage',
  Type.Object(
    {
      prompt_tokens: Count,
      completion_tokens: Count,
      total_tokens: Count,
      prompt_tokens_details: Type.Optional(
        Type.Object({ cached_tokens: Type.Optional(Count), cache_write_tokens: Type.Optional(Count) }),
      ),
      completion_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: Type.Optional(Count) })),
      cost: Type.Optional(Type.Number({ description: 'What the request cost with the fee, in USD' })),
    },
    OPEN,
  ),
)
const FinishReason = Type.Union([
  Type.Literal('stop'),
  Type.Literal('length'),
  Type.Literal('tool_calls'),
  Type.Literal('content_filter'),
])

export const ChatAnswer = named(
  'ChatCompletion',
  Type.Object(
    {
      id: Type.String({ description: 'For `GET /v1/generations/{id}`' }),
      object: Type.Literal('chat.completion'),
      created: Type.Integer({ description: 'Seconds since 1970' }),
      model: Type.String({ description: 'The model that answered' }),
      choices: Type.Array(
        Type.Object(
          {
            index: Count,
            message: Type.Object(
              {
                role: Type.Literal('assistant'),
                content: Nullable(Type.String()),
                tool_calls: Type.Optional(Type.Array(ToolCall)),
              },
              OPEN,
            ),
            finish_reason: Nullable(FinishReason),
          },
          OPEN,
        ),
      ),
      usage: Usage,
      svc_meta: Type.Optional(
        Type.Object({ simulated: Type.Boolean({ description: 'True while no provider has a key' }) }),
      ),
    },
    OPEN,
  ),
)
