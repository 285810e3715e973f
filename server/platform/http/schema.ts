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
export const Money = Type.String({ description: 'Amount with 2 to 6 decimals', examples: ['80.00'] })
export const AmountIn = Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
  description: 'Number or decimal string, more than 0, at most 6 decimals',
  examples: [100],
})
export const Currency = named('Currency', Type.Union([Type.Literal('USD'), Type.Literal('USDC')]))

export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer(),
    message: Type.Union([Type.String(), Type.Array(Type.String())]),
    error: Type.String({ description: 'The HTTP reason phrase' }),
    code: Type.String({ description: 'Stable code for programs' }),
    hint: Type.Optional(Type.String({ description: 'What to do about the error' })),
    details: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true, description: 'The body of every error response' },
)

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Page size, 20 by default' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Rows to skip' })),
}

/** What every list has beside its items. */
export const pageFields = {
  total: Type.Integer({ description: 'Exact to 10,000' }),
  totalIsCapped: Type.Optional(Type.Boolean()),
  limit: Type.Integer(),
  offset: Type.Integer(),
}

/** `{items, total, limit, offset}`, the shape of a list. */
export function PageOf<T extends TSchema>(item: T) {
  const { title } = item as { title?: string }
  const list = Type.Object({ items: Type.Array(item), ...pageFields })
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
