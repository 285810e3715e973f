import { Type, type Static } from '#platform/http/type'
import { named, Nullable } from '#platform/http/schema'

const Part = named(
  'ResponsePart',
  Type.Object({
    type: Type.String({ description: '`input_text`, `input_image`, `output_text` or `refusal`' }),
    text: Type.Optional(Type.String()),
    refusal: Type.Optional(Type.String()),
    image_url: Type.Optional(Nullable(Type.String({ description: 'URL or data URL' }))),
    detail: Type.Optional(Type.String()),
  }),
)
export type Part = Static<typeof Part>

/** All kinds of items in one shape: a union would answer a mistake in one item with the messages of every kind. */
const Item = Type.Object({
  type: Type.Optional(
    Type.String({ description: '`message`, `function_call`, `function_call_output` or `reasoning`' }),
  ),
  role: Type.Optional(Type.Enum(['user', 'assistant', 'system', 'developer'] as const)),
  content: Type.Optional(Nullable(Type.Union([Type.String(), Type.Array(Part)]))),
  call_id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.String()),
  output: Type.Optional(Type.Union([Type.String(), Type.Array(Part)])),
})
export type Item = Static<typeof Item>

const Tool = Type.Object({
  type: Type.String({ description: '`function`: built-in tools are not offered' }),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Nullable(Type.String())),
  parameters: Type.Optional(Nullable(Type.Object({}))),
  strict: Type.Optional(Nullable(Type.Boolean())),
})
export type Tool = Static<typeof Tool>

const Format = Type.Object({
  type: Type.Enum(['text', 'json_object', 'json_schema'] as const),
  name: Type.Optional(Type.String()),
  schema: Type.Optional(Type.Object({})),
  strict: Type.Optional(Nullable(Type.Boolean())),
})

const offered = {
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A model of `GET /v1/models`, or `auto`' }),
  ),
  input: Type.Union([Type.String(), Type.Array(Item, { minItems: 1 })]),
  instructions: Type.Optional(Nullable(Type.String())),
  tools: Type.Optional(Type.Array(Tool)),
  tool_choice: Type.Optional(
    Type.Union([
      Type.Enum(['auto', 'none', 'required'] as const),
      Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) }),
    ]),
  ),
  text: Type.Optional(
    Type.Object({ format: Type.Optional(Format), verbosity: Type.Optional(Nullable(Type.String())) }),
  ),
  reasoning: Type.Optional(Nullable(Type.Object({ effort: Type.Optional(Nullable(Type.String())) }))),
  max_output_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  top_p: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  parallel_tool_calls: Type.Optional(Nullable(Type.Boolean())),
  stream: Type.Optional(Nullable(Type.Boolean())),
  user: Type.Optional(Type.String({ maxLength: 256, description: 'Your end user' })),
  safety_identifier: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
  prompt_cache_key: Type.Optional(Nullable(Type.String({ maxLength: 1024 }))),
  service_tier: Type.Optional(Nullable(Type.String())),
  metadata: Type.Optional(Nullable(Type.Record(Type.String(), Type.String()))),
  store: Type.Optional(Nullable(Type.Boolean({ description: 'Ignored: responses are not stored' }))),
}
/** Named here so that they are refused, and not ignored. */
const notOffered = {
  previous_response_id: Type.Optional(Nullable(Type.String({ description: 'Not offered' }))),
  conversation: Type.Optional(Type.Unknown({ description: 'Not offered' })),
  prompt: Type.Optional(Type.Unknown({ description: 'Not offered' })),
  background: Type.Optional(Nullable(Type.Boolean({ description: 'Not offered' }))),
  top_logprobs: Type.Optional(Nullable(Type.Integer({ description: 'Not offered' }))),
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
      object: Type.Literal('response'),
      created_at: Type.Integer({ description: 'Seconds since 1970' }),
      status: Type.Enum(['completed', 'incomplete', 'failed'] as const),
      incomplete_details: Nullable(Type.Object({ reason: Type.String() })),
      error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
      model: Type.String({ description: 'The model that answered' }),
      output: Type.Array(
        Type.Object(
          { type: Type.String({ description: '`message`, `function_call` or `reasoning`' }) },
          OPEN,
        ),
      ),
      usage: Nullable(
        Type.Object(
          {
            input_tokens: Count,
            output_tokens: Count,
            total_tokens: Count,
            cost: Type.Optional(Type.Number({ description: 'Cost with fee in USD' })),
          },
          OPEN,
        ),
      ),
      store: Type.Boolean(),
    },
    OPEN,
  ),
)
