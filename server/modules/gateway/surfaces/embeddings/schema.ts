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
  dimensions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 8192,
      description: 'Length of the vectors; that of the model by default',
    }),
  ),
  encoding_format: Type.Optional(
    Type.Enum(['float', 'base64'] as const, {
      description: 'Form of the vectors: lists of numbers by default',
    }),
  ),
  user: Type.Optional(Type.String({ maxLength: 256, description: 'Your end user' })),
})
export type EmbeddingsBody = Static<typeof EmbeddingsBody>

export const EmbeddingList = named(
  'EmbeddingList',
  Type.Object({
    object: Type.Literal('list', { description: 'Kind of the object' }),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding', { description: 'Kind of the object' }),
        index: Type.Integer({ minimum: 0, description: 'Place of the input, from 0' }),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'The vector: numbers, or 32-bit floats in base64',
        }),
      }),
      { description: 'One embedding for each input' },
    ),
    model: Type.String({ description: 'The model that answered' }),
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ minimum: 0, description: 'Tokens of the input' }),
        total_tokens: Type.Integer({ minimum: 0, description: 'The same' }),
        cost: Type.Number({ description: 'Cost with fee in USD', minimum: 0 }),
      },
      { description: 'Tokens and cost' },
    ),
  }),
)
export type EmbeddingList = Static<typeof EmbeddingList>
