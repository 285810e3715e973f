import { Type, type Static } from '#platform/http/type'
import { named, Nullable } from '#platform/http/schema'

const CacheControl = Type.Optional(Nullable(Type.Object({ type: Type.String() })))
const Source = Type.Object({
  type: Type.String({ description: '`base64`, `url` or `text`' }),
  media_type: Type.Optional(Type.String()),
  data: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
})
const ResultPart = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  source: Type.Optional(Source),
})
/** All kinds of blocks in one shape: a union would answer a mistake in one block with the messages of every kind. */
const Block = named(
  'MessageBlock',
  Type.Object({
    type: Type.String({
      description: '`text`, `image`, `document`, `tool_use`, `tool_result` or `thinking`',
    }),
    text: Type.Optional(Type.String()),
    source: Type.Optional(Source),
    id: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    input: Type.Optional(Type.Unknown()),
    tool_use_id: Type.Optional(Type.String()),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(ResultPart)])),
    is_error: Type.Optional(Nullable(Type.Boolean())),
    thinking: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String()),
    data: Type.Optional(Type.String()),
    cache_control: CacheControl,
  }),
)
export type Block = Static<typeof Block>
export type ResultPart = Static<typeof ResultPart>
export type Source = Static<typeof Source>

const Tool = named(
  'MessageTool',
  Type.Object({
    type: Type.Optional(
      Nullable(Type.String({ description: '`custom`: tools of the server are not offered' })),
    ),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(Type.Object({})),
    strict: Type.Optional(Type.Boolean()),
    cache_control: CacheControl,
  }),
)
export type Tool = Static<typeof Tool>

/** What counts as prompt: the body of `count_tokens`. */
const prompt = {
  model: Type.String({ minLength: 1, maxLength: 200, description: 'A model of `GET /v1/models`, or `auto`' }),
  messages: Type.Array(
    named(
      'MessageTurn',
      Type.Object({
        role: Type.Enum(['user', 'assistant', 'system'] as const),
        content: Type.Union([Type.String(), Type.Array(Block)]),
      }),
    ),
    { minItems: 1 },
  ),
  system: Type.Optional(Type.Union([Type.String(), Type.Array(Block)])),
  tools: Type.Optional(Type.Array(Tool)),
  tool_choice: Type.Optional(
    Type.Object({
      type: Type.Enum(['auto', 'any', 'tool', 'none'] as const),
      name: Type.Optional(Type.String()),
      disable_parallel_tool_use: Type.Optional(Type.Boolean()),
    }),
  ),
  thinking: Type.Optional(
    Type.Object({
      type: Type.String({ description: '`enabled`, `adaptive` or `disabled`' }),
      budget_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  output_config: Type.Optional(
    Type.Object({
      effort: Type.Optional(Nullable(Type.String())),
      format: Type.Optional(
        Nullable(Type.Object({ type: Type.String(), schema: Type.Optional(Type.Object({})) })),
      ),
    }),
  ),
}
export const CountTokensBody = Type.Object(prompt)
export type CountTokensBody = Static<typeof CountTokensBody>

export const MessagesBody = Type.Object({
  ...prompt,
  max_tokens: Type.Integer({ minimum: 1, description: 'Highest number of tokens of the answer' }),
  stream: Type.Optional(Type.Boolean()),
  stop_sequences: Type.Optional(Type.Array(Type.String())),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Type.Optional(Type.Integer({ minimum: 0, description: 'Ignored: few providers have it' })),
  metadata: Type.Optional(
    Type.Object({
      user_id: Type.Optional(Nullable(Type.String({ maxLength: 256, description: 'Your end user' }))),
    }),
  ),
  // Named here so that they are refused, and not ignored.
  mcp_servers: Type.Optional(Type.Array(Type.Unknown(), { description: 'Not offered' })),
  container: Type.Optional(Nullable(Type.Unknown({ description: 'Not offered' }))),
})
export type MessagesBody = Static<typeof MessagesBody>

const OPEN = { additionalProperties: true }
const Count = Type.Integer({ minimum: 0 })

/** For the document: `answer.ts` has the exact type. */
export const MessageAnswer = named(
  'Message',
  Type.Object(
    {
      id: Type.String({ description: 'For `GET /v1/generations/{id}`' }),
      type: Type.Literal('message'),
      role: Type.Literal('assistant'),
      model: Type.String({ description: 'The model that answered' }),
      content: Type.Array(
        Type.Object({ type: Type.String({ description: '`text`, `thinking` or `tool_use`' }) }, OPEN),
      ),
      stop_reason: Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'] as const),
      stop_sequence: Nullable(Type.String()),
      usage: Type.Object(
        {
          input_tokens: Type.Integer({ minimum: 0, description: 'Without cached tokens' }),
          cache_read_input_tokens: Count,
          cache_creation_input_tokens: Count,
          output_tokens: Count,
          cost: Type.Optional(Type.Number({ description: 'Cost with fee in USD' })),
        },
        OPEN,
      ),
    },
    OPEN,
  ),
)
export const TokenCount = Type.Object({ input_tokens: Count })
