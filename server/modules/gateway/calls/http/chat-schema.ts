import { Type } from '#platform/http/type'
import { named, Nullable } from '#platform/http/schema'

const OPEN = { additionalProperties: true }
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))
const Limit = Type.Integer({
  minimum: 1,
  maximum: 10_000_000,
  description: 'Highest number of tokens of the answer',
})

const Part = Type.Object(
  {
    type: Type.String({ description: '`text` or `image_url`', maxLength: 40 }),
    text: Type.Optional(Type.String({ description: 'Text of the part' })),
    image_url: Type.Optional({
      ...Type.Object(
        {
          url: Type.String({ description: 'URL or data URL' }),
          detail: Type.Optional(Type.String({ description: 'Resolution: `low`, `high` or `auto`' })),
        },
        OPEN,
      ),
      description: 'Image of the part',
    }),
  },
  OPEN,
)
const ToolCall = Type.Object(
  {
    id: Type.String({ description: 'Id of the call' }),
    type: Type.Literal('function', { description: 'Calls are of functions' }),
    function: {
      ...Type.Object(
        {
          name: Type.String({ description: 'Name of the function' }),
          arguments: Type.String({ description: 'Arguments as a JSON text' }),
        },
        OPEN,
      ),
      description: 'The function and its arguments',
    },
  },
  OPEN,
)
const Role = Type.Union(
  [
    Type.Literal('system'),
    Type.Literal('developer'),
    Type.Literal('user'),
    Type.Literal('assistant'),
    Type.Literal('tool'),
  ],
  { description: 'Who says it' },
)
const Message = named(
  'ChatMessage',
  Type.Object(
    {
      role: Role,
      content: optional(
        Type.Union([Type.String(), Type.Array(Part)], {
          description: 'Text, or parts; null for a message with tool calls alone',
        }),
      ),
      name: Type.Optional(Type.String({ description: 'Name of the participant' })),
      tool_calls: optional(Type.Array(ToolCall, { description: 'Calls that the model asked for' })),
      tool_call_id: Type.Optional(
        Type.String({ description: 'With the role `tool`: id of the call that this is the result of' }),
      ),
    },
    OPEN,
  ),
)
const Tool = named(
  'ChatTool',
  Type.Object(
    {
      type: Type.String({ description: '`function`' }),
      function: Type.Optional({
        ...Type.Object(
          {
            name: Type.String({ maxLength: 200, description: 'Name of the function' }),
            description: Type.Optional(Type.String({ description: 'What it does: the model decides by it' })),
            parameters: Type.Optional({
              ...Type.Object({}, OPEN),
              description: 'JSON Schema of the arguments',
            }),
            strict: optional(
              Type.Boolean({ description: 'Whether arguments must follow the schema exactly' }),
            ),
          },
          OPEN,
        ),
        description: 'The function',
      }),
    },
    OPEN,
  ),
)
const ResponseFormat = named(
  'ChatResponseFormat',
  Type.Object(
    {
      type: Type.String({ description: '`text`, `json_object` or `json_schema`' }),
      json_schema: Type.Optional({
        ...Type.Object(
          {
            name: Type.String({ description: 'Name of the schema' }),
            schema: Type.Optional({ ...Type.Object({}, OPEN), description: 'JSON Schema of the answer' }),
            strict: optional(Type.Boolean({ description: 'Whether the answer must follow it exactly' })),
          },
          OPEN,
        ),
        description: 'With `json_schema`: the schema of the answer',
      }),
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
    messages: Type.Array(Message, { minItems: 1, description: 'The conversation, oldest message first' }),
    stream: optional(Type.Boolean({ description: 'True: the answer is a stream of events (SSE)' })),
    stream_options: optional({
      ...Type.Object(
        { include_usage: optional(Type.Boolean({ description: 'True: a last event has the usage' })) },
        OPEN,
      ),
      description: 'Options of the stream',
    }),
    max_tokens: optional(Limit),
    max_completion_tokens: optional(Limit),
    n: optional(Type.Integer({ minimum: 1, maximum: 128, description: 'Number of answers' })),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2, description: 'Randomness of the answer' })),
    top_p: optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of the most probable tokens to choose from',
      }),
    ),
    tools: optional(Type.Array(Tool, { description: 'Functions that the model may call' })),
    tool_choice: Type.Optional(
      Type.Unknown({ description: '`none`, `auto`, `required`, or the function to call' }),
    ),
    response_format: Type.Optional({
      ...Nullable(ResponseFormat),
      description: 'Text or JSON; text by default',
    }),
    reasoning_effort: optional(
      Type.String({ maxLength: 40, description: 'How long to reason, such as `low` or `high`' }),
    ),
    user: optional(
      Type.String({ description: 'Your end user: has a budget if the key says so', maxLength: 200 }),
    ),
    safety_identifier: optional(
      Type.String({ description: 'Your end user, if `user` is not there', maxLength: 200 }),
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
      prompt_tokens: { ...Count, description: 'Tokens of the prompt' },
      completion_tokens: { ...Count, description: 'Tokens of the answer' },
      total_tokens: { ...Count, description: 'Both together' },
      prompt_tokens_details: Type.Optional(
        Type.Object(
          {
            cached_tokens: Type.Optional({ ...Count, description: 'Read from the cache of the provider' }),
            cache_write_tokens: Type.Optional({ ...Count, description: 'Written to that cache' }),
          },
          { description: 'Parts of `prompt_tokens`' },
        ),
      ),
      completion_tokens_details: Type.Optional(
        Type.Object(
          { reasoning_tokens: Type.Optional({ ...Count, description: 'Spent on reasoning' }) },
          { description: 'Parts of `completion_tokens`' },
        ),
      ),
      cost: Type.Optional(
        Type.Number({ description: 'What the request cost with the fee, in USD', minimum: 0 }),
      ),
    },
    OPEN,
  ),
)
const FinishReason = Type.Union(
  [Type.Literal('stop'), Type.Literal('length'), Type.Literal('tool_calls'), Type.Literal('content_filter')],
  { description: 'Why the answer ended: `length` at the limit of tokens' },
)

export const ChatAnswer = named(
  'ChatCompletion',
  Type.Object(
    {
      id: Type.String({ description: 'For `GET /v1/generations/{id}`' }),
      object: Type.Literal('chat.completion', { description: 'Kind of the object' }),
      created: Type.Integer({ description: 'Seconds since 1970', minimum: 0 }),
      model: Type.String({ description: 'The model that answered' }),
      choices: Type.Array(
        Type.Object(
          {
            index: { ...Count, description: 'Place of the answer, from 0' },
            message: {
              ...Type.Object(
                {
                  role: Type.Literal('assistant', { description: 'The model' }),
                  content: Nullable(
                    Type.String({ description: 'Text of the answer; null for tool calls alone' }),
                  ),
                  tool_calls: Type.Optional(
                    Type.Array(ToolCall, { description: 'Functions to call; absent without any' }),
                  ),
                },
                OPEN,
              ),
              description: 'The answer',
            },
            finish_reason: {
              ...Nullable(FinishReason),
              description: 'Why the answer ended; null if unknown',
            },
          },
          OPEN,
        ),
        { minItems: 1, description: 'The answers' },
      ),
      usage: { ...Usage, description: 'Tokens and cost' },
      svc_meta: Type.Optional(
        Type.Object(
          { simulated: Type.Boolean({ description: 'True while no provider has a key' }) },
          { description: 'What the service adds' },
        ),
      ),
    },
    OPEN,
  ),
)
