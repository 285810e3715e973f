import { Type, type TSchema } from '#platform/http/type'

/** Shapes that every module uses. One schema per shape: it validates, types, serializes and documents. */

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/**
 * Gives a schema its name in the OpenAPI document, where it stands once among the components; generated clients have a type
 * of this name. Two schemas of one name must be alike. Nothing changes for validation and serialization.
 */
export const named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title })

/** Ids are plain strings to the schema: what is no UUID is an unknown id. */
export const Id = Type.String({ description: 'Id (UUIDv7)', maxLength: 200 })
export const Moment = Type.String({ format: 'date-time', description: 'UTC, ISO 8601' })
/** In responses. */
export const Money = Type.String({
  pattern: '^-?[0-9]+[.][0-9]{2,6}$',
  description: 'Amount in the currency beside it (dollars where there is none), with 2 to 6 decimals',
  examples: ['80.00'],
})
export const AmountIn = Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
  description: 'Amount in dollars (USD or USDC): number or decimal string, more than 0, at most 6 decimals',
  examples: [100],
})
export const Currency = named(
  'Currency',
  Type.Union([Type.Literal('USD'), Type.Literal('USDC')], {
    description: 'USD, or USDC (the stablecoin on the chain). An amount of either is in dollars',
  }),
)
/** How many there are. */
export const Count = (description: string, options: { examples?: number[] } = {}) =>
  Type.Integer({ minimum: 0, description, ...options })

const errorFields = {
  statusCode: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status of the response' }),
  message: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String(), { minItems: 1 })], {
    description: 'What is wrong, for people; a list of sentences if the input is invalid',
  }),
  hint: Type.Optional(Type.String({ minLength: 1, description: 'What to do about the error' })),
  details: Type.Optional(
    Type.Unknown({ description: 'Data about the error for programs; its shape depends on `code`' }),
  ),
}
const ReasonPhrase = Type.String({ pattern: '^[A-Z][A-Za-z -]+$', description: 'The HTTP reason phrase' })
const ErrorCode = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$', description: 'Stable code for programs' })

export const ErrorBody = Type.Object(
  { ...errorFields, error: ReasonPhrase, code: ErrorCode },
  { additionalProperties: true, description: 'The body of every error response' },
)

/** Errors of the APIs of models: `error` is an object for clients that read the one of OpenAI or Anthropic. */
export const ModelErrorBody = Type.Object(
  {
    ...errorFields,
    error: Type.Union(
      [
        ReasonPhrase,
        Type.Object(
          {
            type: Type.String({ description: 'Kind of the error in the terms of that API' }),
            message: Type.String({ description: 'The message as one text' }),
          },
          { additionalProperties: true, description: 'For clients of OpenAI and Anthropic' },
        ),
      ],
      { description: 'The HTTP reason phrase, or an object on the paths of OpenAI and Anthropic' },
    ),
    code: Type.Optional(ErrorCode),
  },
  { additionalProperties: true, description: 'The body of every error response of the APIs of models' },
)

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Page size, 20 by default' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Rows to skip' })),
}

/** What every list has beside its items. */
export const pageFields = {
  total: Type.Integer({ minimum: 0, description: 'How many there are on all pages, at most 10,000' }),
  totalIsCapped: Type.Optional(
    Type.Boolean({ description: 'True if there are more than 10,000; absent otherwise' }),
  ),
  limit: Type.Integer({ minimum: 1, description: 'Page size of this response' }),
  offset: Type.Integer({ minimum: 0, description: 'How many were skipped' }),
}

/** `{items, total, limit, offset}`, the shape of a list. */
export function PageOf<T extends TSchema>(item: T) {
  const { title } = item as { title?: string }
  const items = Type.Array(item, { maxItems: 100, description: 'This page; empty beyond the last one' })
  const list = Type.Object({ items, ...pageFields })
  return title ? named(`${title}Page`, list) : list
}

export interface Page {
  limit: number
  offset: number
}
export const TOTAL_CAP = 10_000

/** The page that a query asks for. */
export const pageOf = (query: { limit?: number; offset?: number }): Page => ({
  limit: query.limit ?? 20,
  offset: query.offset ?? 0,
})

/** A list answer; count at most `TOTAL_CAP + 1` rows in SQL and pass that count here. */
export function pageAnswer<T>(items: T[], counted: number, page: Page) {
  const capped = counted > TOTAL_CAP
  return { items, total: capped ? TOTAL_CAP : counted, ...(capped ? { totalIsCapped: true } : {}), ...page }
}
