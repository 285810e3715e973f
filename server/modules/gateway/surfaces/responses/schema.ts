import { Type, type Static } from '#platform/http/type'
import { named, Nullable } from '#platform/http/schema'

const Part = named(
  'ResponsePart',
  Type.Object({
    type: Type.String({
      description: '`input_text`, `input_image`, `output_text`, `refusal` or `summary_text`',
    }),
    text: Type.Optional(Type.String({ description: 'Text of the part' })),
    refusal: Type.Optional(Type.String({ description: 'With `refusal`: what the model said' })),
    image_url: Type.Optional(Nullable(Type.String({ description: 'URL or data URL' }))),
    detail: Type.Optional(Type.String({ description: 'Resolution of an image' })),
  }),
)
export type Part = Static<typeof Part>

/** All kinds of items in one shape: a union would answer a mistake in one item with the messages of every kind. */
const Item = Type.Object({
  type: Type.Optional(
    Type.String({ description: '`message`, `function_call`, `function_call_output` or `reasoning`' }),
  ),
  role: Type.Optional(
    Type.Enum(['user', 'assistant', 'system', 'developer'] as const, {
      description: 'With `message`: who says it',
    }),
  ),
  content: Type.Optional({
    ...Nullable(Type.Union([Type.String(), Type.Array(Part)])),
    description: 'With `message`: text, or parts',
  }),
  summary: Type.Optional(
    Nullable(
      Type.Array(Part, { description: 'With `reasoning`: what the model thought, if `content` is empty' }),
    ),
  ),
  call_id: Type.Optional(Type.String({ description: 'With `function_call` and its output: id of the call' })),
  name: Type.Optional(Type.String({ description: 'With `function_call`: name of the function' })),
  arguments: Type.Optional(Type.String({ description: 'With `function_call`: arguments as a JSON text' })),
  output: Type.Optional(
    Type.Union([Type.String(), Type.Array(Part)], { description: 'With `function_call_output`: the result' }),
  ),
})
export type Item = Static<typeof Item>

const Tool = Type.Object({
  type: Type.String({ description: '`function`: built-in tools are not offered' }),
  name: Type.Optional(Type.String({ description: 'Name of the function' })),
  description: Type.Optional(Nullable(Type.String({ description: 'What it does: the model decides by it' }))),
  parameters: Type.Optional(Nullable(Type.Object({}, { description: 'JSON Schema of the arguments' }))),
  strict: Type.Optional(
    Nullable(Type.Boolean({ description: 'Whether arguments must follow the schema exactly' })),
  ),
})
export type Tool = Static<typeof Tool>

const Format = Type.Object({
  type: Type.Enum(['text', 'json_object', 'json_schema'] as const, { description: 'Form of the answer' }),
  name: Type.Optional(Type.String({ description: 'Name of the schema' })),
  description: Type.Optional(Nullable(Type.String({ description: 'What the answer is for' }))),
  schema: Type.Optional(Type.Object({}, { description: 'JSON Schema of the answer' })),
  strict: Type.Optional(Nullable(Type.Boolean({ description: 'Whether the answer must follow it exactly' }))),
})

const offered = {
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A model of `GET /v1/models`, or `auto`' }),
  ),
  input: Type.Union([Type.String(), Type.Array(Item, { minItems: 1 })], {
    description: 'A text, or the conversation as items',
  }),
  instructions: Type.Optional(Nullable(Type.String({ description: 'Instructions to the model' }))),
  tools: Type.Optional(Type.Array(Tool, { description: 'Functions that the model may call' })),
  tool_choice: Type.Optional(
    Type.Union(
      [
        Type.Enum(['auto', 'none', 'required'] as const),
        Type.Object({
          type: Type.String({ description: '`function` or `allowed_tools`' }),
          name: Type.Optional(Type.String({ description: 'With `function`: the one to call' })),
          mode: Type.Optional(
            Type.Enum(['auto', 'required'] as const, {
              description: 'With `allowed_tools`: whether one of them must be called',
            }),
          ),
          tools: Type.Optional(
            Type.Array(
              Type.Object({
                type: Type.String({ description: '`function`' }),
                name: Type.Optional(Type.String({ description: 'Name of the function' })),
              }),
              { description: 'With `allowed_tools`: the functions that may be called' },
            ),
          ),
        }),
      ],
      { description: 'Which functions may be called' },
    ),
  ),
  text: Type.Optional(
    Type.Object(
      {
        format: Type.Optional({ ...Format, description: 'Text or JSON' }),
        verbosity: Type.Optional(
          Nullable(Type.String({ description: 'How long the answer is, such as `low`' })),
        ),
      },
      { description: 'Form of the answer' },
    ),
  ),
  reasoning: Type.Optional(
    Nullable(
      Type.Object(
        {
          effort: Type.Optional(
            Nullable(Type.String({ description: 'How long to reason, such as `low` or `high`' })),
          ),
          summary: Type.Optional(
            Nullable(
              Type.String({
                description: '`auto`, `concise` or `detailed`: thoughts are in `summary` of their item',
              }),
            ),
          ),
          generate_summary: Type.Optional(Nullable(Type.String({ description: 'Former name of `summary`' }))),
        },
        { description: 'How the model reasons' },
      ),
    ),
  ),
  max_output_tokens: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, description: 'Highest number of tokens of the answer' })),
  ),
  temperature: Type.Optional(
    Nullable(Type.Number({ minimum: 0, maximum: 2, description: 'Randomness of the answer' })),
  ),
  top_p: Type.Optional(
    Nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of the most probable tokens to choose from',
      }),
    ),
  ),
  parallel_tool_calls: Type.Optional(Nullable(Type.Boolean({ description: 'False: at most one call' }))),
  stream: Type.Optional(
    Nullable(Type.Boolean({ description: 'True: the answer is a stream of events (SSE)' })),
  ),
  user: Type.Optional(Type.String({ maxLength: 256, description: 'Your end user' })),
  safety_identifier: Type.Optional(
    Nullable(Type.String({ maxLength: 256, description: 'Your end user, for the provider' })),
  ),
  prompt_cache_key: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 1024,
        description: 'Names a conversation, which stays on its model for an hour',
      }),
    ),
  ),
  service_tier: Type.Optional(Nullable(Type.String({ description: 'Passed on to the provider' }))),
  metadata: Type.Optional(
    Nullable(Type.Record(Type.String(), Type.String(), { description: 'Your own data, by name' })),
  ),
  store: Type.Optional(Nullable(Type.Boolean({ description: 'Ignored: responses are not stored' }))),
  include: Type.Optional(
    Nullable(
      Type.Array(Type.String(), {
        description: 'Ignored, except that `message.output_text.logprobs` is refused',
      }),
    ),
  ),
  truncation: Type.Optional(
    Nullable(Type.String({ description: '`disabled`: the input is sent whole or refused' })),
  ),
}
/** Named here so that they are refused, and not ignored. */
const notOffered = {
  previous_response_id: Type.Optional(Nullable(Type.String({ description: 'Not offered' }))),
  conversation: Type.Optional(Type.Unknown({ description: 'Not offered' })),
  prompt: Type.Optional(Type.Unknown({ description: 'Not offered' })),
  background: Type.Optional(Nullable(Type.Boolean({ description: 'Not offered' }))),
  top_logprobs: Type.Optional(Nullable(Type.Integer({ description: 'Not offered' }))),
  context_management: Type.Optional(Nullable(Type.Array(Type.Unknown(), { description: 'Not offered' }))),
  moderation: Type.Optional(Type.Unknown({ description: 'Not offered' })),
}
export const ResponsesBody = Type.Object({ ...offered, ...notOffered })
export type ResponsesBody = Static<typeof ResponsesBody>

const OPEN = { additionalProperties: true }
const Count = Type.Integer({ minimum: 0 })

/** For the document: `answer.ts` has the exact type. */
export const ModelResponse = named(
  'ModelResponse',
  Type.Object(
    {
      id: Type.String({ description: 'For `GET /v1/generations/{id}`' }),
      object: Type.Literal('response', { description: 'Kind of the object' }),
      created_at: Type.Integer({ description: 'Seconds since 1970', minimum: 0 }),
      status: Type.Enum(['completed', 'incomplete', 'failed'] as const, {
        description: 'incomplete: it ended at a limit',
      }),
      incomplete_details: Nullable(
        Type.Object(
          { reason: Type.String({ description: 'Limit that ended it' }) },
          { description: 'Why it is incomplete; null otherwise' },
        ),
      ),
      error: Nullable(
        Type.Object(
          {
            code: Type.String({ description: 'Stable code for programs' }),
            message: Type.String({ description: 'What went wrong' }),
          },
          { description: 'Why it failed; null otherwise' },
        ),
      ),
      model: Type.String({ description: 'The model that answered' }),
      output: Type.Array(
        Type.Object(
          { type: Type.String({ description: '`message`, `function_call` or `reasoning`' }) },
          OPEN,
        ),
        { description: 'Items of the answer' },
      ),
      usage: Nullable({
        ...Type.Object(
          {
            input_tokens: { ...Count, description: 'Tokens of the prompt' },
            output_tokens: { ...Count, description: 'Tokens of the answer' },
            total_tokens: { ...Count, description: 'Both together' },
            cost: Type.Optional(Type.Number({ description: 'Cost with fee in USD', minimum: 0 })),
          },
          OPEN,
        ),
        description: 'Tokens and cost; null if it failed',
      }),
      store: Type.Boolean({ description: 'Always false: responses are not stored' }),
    },
    OPEN,
  ),
)
