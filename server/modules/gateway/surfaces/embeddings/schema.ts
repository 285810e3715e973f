import { named } from '#platform/http/schema'
import { Type, type Static } from '#platform/http/type'

const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })

export const EmbeddingsBody = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200, description: 'An embedding model' }),
  input: Type.Union(
    [
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 2048 }),
      Tokens,
      Type.Array(Tokens, { minItems: 1, maxItems: 2048 }),
    ],
    { description: 'A text, texts, tokens, or lists of tokens' },
  ),
  dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 8192 })),
  encoding_format: Type.Optional(Type.Enum(['float', 'base64'] as const)),
  user: Type.Optional(Type.String({ maxLength: 256, description: 'Your end user' })),
})
export type EmbeddingsBody = Static<typeof EmbeddingsBody>

export const EmbeddingList = named(
  'EmbeddingList',
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding'),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({
      prompt_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      cost: Type.Number({ description: 'Cost with fee in USD' }),
    }),
  }),
)
export type EmbeddingList = Static<typeof EmbeddingList>
