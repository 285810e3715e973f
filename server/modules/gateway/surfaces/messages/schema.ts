import { Type, type Static } from '#platform/http/type'
import { named, Nullable } from '#platform/http/schema'

const CacheControl = Type.Optional(
  Nullable(
    Type.Object(
      { type: Type.String({ description: '`ephemeral`' }) },
      { description: 'The provider caches the prompt up to here' },
    ),
  ),
)
const Source = Type.Object({
  type: Type.String({ description: '`base64`, `url` or `text`' }),
  media_type: Type.Optional(Type.String({ description: 'Media type of `data`' })),
  data: Type.Optional(Type.String({ description: 'Content in base64, or text' })),
  url: Type.Optional(Type.String({ description: 'Address of the content' })),
})
const ResultPart = Type.Object({
  type: Type.String({ description: '`text`, `image` or `document`' }),
  text: Type.Optional(Type.String({ description: 'Text of the part' })),
  source: Type.Optional({ ...Source, description: 'Content of an image or document' }),
  cache_control: CacheControl,
})
/** All kinds of blocks in one shape: a union would answer a mistake in one block with the messages of every kind. */
const Block = named(
  'MessageBlock',
  Type.Object({
    type: Type.String({
      description: '`text`, `image`, `document`, `tool_use`, `tool_result` or `thinking`',
    }),
    text: Type.Optional(Type.String({ description: 'With `text`: the text' })),
    source: Type.Optional({ ...Source, description: 'With `image` and `document`: the content' }),
    id: Type.Optional(Type.String({ description: 'With `tool_use`: id of the call' })),
    name: Type.Optional(Type.String({ description: 'With `tool_use`: name of the tool' })),
    input: Type.Optional(Type.Unknown({ description: 'With `tool_use`: arguments' })),
    tool_use_id: Type.Optional(Type.String({ description: 'With `tool_result`: id of the call' })),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(ResultPart)], { description: 'With `tool_result`: the result' }),
    ),
    is_error: Type.Optional(
      Nullable(Type.Boolean({ description: 'With `tool_result`: whether the tool failed' })),
    ),
    thinking: Type.Optional(Type.String({ description: 'With `thinking`: the reasoning' })),
    signature: Type.Optional(
      Type.String({ description: 'With `thinking`: its signature, sent back unchanged' }),
    ),
    data: Type.Optional(Type.String({ description: 'With `redacted_thinking`: its encrypted text' })),
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
    name: Type.String({ description: 'Name of the tool' }),
    description: Type.Optional(Type.String({ description: 'What it does: the model decides by it' })),
    input_schema: Type.Optional(Type.Object({}, { description: 'JSON Schema of the arguments' })),
    strict: Type.Optional(Type.Boolean({ description: 'Whether arguments must follow the schema exactly' })),
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
        role: Type.Enum(['user', 'assistant', 'system'] as const, { description: 'Who says it' }),
        content: Type.Union([Type.String(), Type.Array(Block)], { description: 'Text, or blocks' }),
      }),
    ),
    { minItems: 1, description: 'The conversation, oldest turn first' },
  ),
  system: Type.Optional(
    Type.Union([Type.String(), Type.Array(Block)], { description: 'Instructions to the model' }),
  ),
  tools: Type.Optional(Type.Array(Tool, { description: 'Tools that the model may call' })),
  tool_choice: Type.Optional(
    Type.Object(
      {
        type: Type.Enum(['auto', 'any', 'tool', 'none'] as const, {
          description: '`any`: some tool must be called, `tool`: the one of `name`',
        }),
        name: Type.Optional(Type.String({ description: 'Name of the tool' })),
        disable_parallel_tool_use: Type.Optional(Type.Boolean({ description: 'True: at most one call' })),
      },
      { description: 'Which tools may be called' },
    ),
  ),
  thinking: Type.Optional(
    Type.Object(
      {
        type: Type.String({ description: '`enabled`, `adaptive` or `disabled`' }),
        budget_tokens: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Highest number of tokens for it' }),
        ),
      },
      { description: 'Whether the model reasons first' },
    ),
  ),
  output_config: Type.Optional(
    Type.Object(
      {
        effort: Type.Optional(
          Nullable(Type.String({ description: 'How long to reason, such as `low` or `high`' })),
        ),
        format: Type.Optional(
          Nullable(
            Type.Object(
              {
                type: Type.String({ description: '`json_schema`' }),
                schema: Type.Optional(Type.Object({}, { description: 'JSON Schema of the answer' })),
              },
              { description: 'The schema that the answer follows; null for text' },
            ),
          ),
        ),
      },
      { description: 'Form of the answer' },
    ),
  ),
}
export const CountTokensBody = Type.Object(prompt)
export type CountTokensBody = Static<typeof CountTokensBody>

export const MessagesBody = Type.Object({
  ...prompt,
  max_tokens: Type.Integer({ minimum: 1, description: 'Highest number of tokens of the answer' }),
  stream: Type.Optional(Type.Boolean({ description: 'True: the answer is a stream of events (SSE)' })),
  stop_sequences: Type.Optional(Type.Array(Type.String(), { description: 'Texts that end the answer' })),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Randomness of the answer' }),
  ),
  top_p: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of the most probable tokens to choose from' }),
  ),
  top_k: Type.Optional(Type.Integer({ minimum: 0, description: 'Ignored: few providers have it' })),
  metadata: Type.Optional(
    Type.Object(
      {
        user_id: Type.Optional(Nullable(Type.String({ maxLength: 256, description: 'Your end user' }))),
      },
      { description: 'About the request' },
    ),
  ),
  cache_control: CacheControl,
  // Named here so that they are refused, and not ignored.
  mcp_servers: Type.Optional(Type.Array(Type.Unknown(), { description: 'Not offered' })),
  container: Type.Optional(Type.Unknown({ description: 'Not offered' })),
  fallbacks: Type.Optional(Nullable(Type.Array(Type.Unknown(), { description: 'Not offered' }))),
  compaction: Type.Optional(Type.Unknown({ description: 'Not offered' })),
  thread: Type.Optional(Type.Unknown({ description: 'Not offered: conversations are not stored' })),
  speed: Type.Optional(Nullable(Type.String({ description: '`standard`: others are not offered' }))),
  inference_geo: Type.Optional(Nullable(Type.String({ description: '`global`: others are not offered' }))),
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
      type: Type.Literal('message', { description: 'Kind of the object' }),
      role: Type.Literal('assistant', { description: 'The model' }),
      model: Type.String({ description: 'The model that answered' }),
      content: Type.Array(
        Type.Object({ type: Type.String({ description: '`text`, `thinking` or `tool_use`' }) }, OPEN),
        { description: 'Blocks of the answer' },
      ),
      stop_reason: Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'] as const, {
        description: 'Why the answer ended',
      }),
      stop_sequence: Nullable(
        Type.String({ description: 'The text of `stop_sequences` that ended it; null for none' }),
      ),
      usage: {
        ...Type.Object(
          {
            input_tokens: Type.Integer({ minimum: 0, description: 'Without cached tokens' }),
            cache_read_input_tokens: { ...Count, description: 'Read from the cache of the provider' },
            cache_creation_input_tokens: { ...Count, description: 'Written to that cache' },
            output_tokens: { ...Count, description: 'Tokens of the answer' },
            output_tokens_details: Type.Object(
              { thinking_tokens: { ...Count, description: 'Spent on reasoning' } },
              { description: 'Parts of `output_tokens`' },
            ),
            cost: Type.Optional(Type.Number({ description: 'Cost with fee in USD', minimum: 0 })),
          },
          OPEN,
        ),
        description: 'Tokens and cost',
      },
    },
    OPEN,
  ),
)
export const TokenCount = Type.Object({ input_tokens: { ...Count, description: 'Tokens of the prompt' } })
