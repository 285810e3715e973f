import { schemas } from '#identity'
import { Type, type Static } from '#platform/http/type'
import { AmountIn, Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { formatMoney } from '#platform/kernel/money'
import type { KeyRow } from './sql.ts'

export const ModelNames = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, description })

const ErrorFormat = named(
  'ErrorFormat',
  Type.Enum(['envelope', 'openai'], {
    description: 'Form of errors: `envelope` of this service, or that of OpenAI',
  }),
)
const MaybeMoney = Nullable(Money)
const MaybeCount = Nullable(Type.Integer())

export const RoutingKeyRecord = named(
  'RoutingKey',
  Type.Object({
    id: { ...Id, description: 'Id of the key (UUIDv7)' },
    name: Type.String({ maxLength: 200, description: 'Name that its owner gave it' }),
    keyPrefix: Type.String({
      pattern: '^[a-z]{2}_…',
      description: 'Prefix and last four characters',
      examples: ['rk_…aB3x'],
    }),
    status: Type.Enum(['ACTIVE', 'EXPIRED', 'REVOKED'], { description: 'Only an ACTIVE key works' }),
    limits: {
      ...named(
        'RoutingKeyLimits',
        Type.Object({
          rpm: { ...MaybeCount, minimum: 1, description: 'Requests in a minute; null for no limit' },
          tpm: { ...MaybeCount, minimum: 1, description: 'Tokens in a minute; null for no limit' },
          parallel: {
            ...MaybeCount,
            minimum: 1,
            description: 'Requests at the same time; null for no limit',
          },
          dailyUsd: { ...MaybeMoney, description: 'USD on a day (UTC), with fee; null for no limit' },
          weeklyUsd: {
            ...MaybeMoney,
            description: 'USD in a week, from Monday (UTC), with fee; null for no limit',
          },
          monthlyUsd: {
            ...MaybeMoney,
            description: 'USD in a calendar month (UTC), with fee; null for no limit',
          },
          endUserDailyUsd: {
            ...MaybeMoney,
            description: 'USD on a day (UTC) for each end user; null for no limit',
          },
        }),
      ),
      description: 'Limits of the key; null for none',
    },
    allowedModels: ModelNames('Empty for all'),
    maxPriceUsd: {
      ...MaybeMoney,
      description: 'Highest cost of one request in USD, with fee; null for no limit',
    },
    errorFormat: ErrorFormat,
    cacheSeconds: Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'How long responses are cached, in seconds; 0 for never',
    }),
    redactPii: Type.Boolean({ description: 'Whether personal data in prompts is replaced' }),
    expiresAt: Nullable({ ...Moment, description: 'When the key ends; null for never' }),
    createdAt: Moment,
    lastUsedAt: Nullable({ ...Moment, description: 'Last request with the key; null before the first' }),
  }),
)

export const RoutingKeyWithKey = named(
  'RoutingKeyWithKey',
  Type.Object({
    ...RoutingKeyRecord.properties,
    key: Type.String({ maxLength: 255, description: 'The rk_ key, shown once' }),
  }),
)

export const RoutingKeyList = Type.Object({
  object: Type.Literal('list', { description: 'Kind of the object' }),
  data: Type.Array(RoutingKeyRecord, { description: 'Keys of the account' }),
})

const count = (maximum: number, description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum, description })))
const amount = (description: string) =>
  Type.Optional(Nullable(Type.Union([...AmountIn.anyOf], { description })))

export const KeyBody = Type.Object({
  name: Type.Optional(schemas.DisplayName),
  limits: Type.Optional(
    Type.Object(
      {
        rpm: count(1_000_000, 'Requests in a minute'),
        tpm: count(1_000_000_000, 'Tokens in a minute'),
        parallel: count(10_000, 'Requests at the same time'),
        dailyUsd: amount('USD on a day (UTC), with fee'),
        weeklyUsd: amount('USD in a week, from Monday (UTC), with fee'),
        monthlyUsd: amount('USD in a calendar month (UTC), with fee'),
        endUserDailyUsd: amount('USD on a day (UTC) for each value of `user` in requests'),
      },
      { description: 'Limits of the key; what is absent or null has none' },
    ),
  ),
  allowedModels: Type.Optional(ModelNames('What requests may name and get; empty for all')),
  maxPriceUsd: amount('Highest cost of one request in USD, with fee'),
  errorFormat: Type.Optional(ErrorFormat),
  cacheSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'How long identical requests are answered from the response cache; 0 for never',
    }),
  ),
  redactPii: Type.Optional(
    Type.Boolean({ description: 'Replace personal data in prompts before they leave the service' }),
  ),
  expiresAt: Type.Optional(Nullable({ ...Moment, description: 'When the key ends; null for never' })),
})
export type KeyFields = Static<typeof KeyBody>

const moneyOrNull = (amount: bigint | null): string | null => (amount === null ? null : formatMoney(amount))

/** `now` is business time: an expired one shows as EXPIRED. */
export const routingKeyRecord = (row: KeyRow, now: Date): Static<typeof RoutingKeyRecord> => ({
  id: row.id,
  name: row.name,
  keyPrefix: `rk_…${row.lastFour}`,
  status: row.status === 'ACTIVE' && row.expiresAt && row.expiresAt <= now ? 'EXPIRED' : row.status,
  limits: {
    rpm: row.rpm,
    tpm: row.tpm,
    parallel: row.parallel,
    dailyUsd: moneyOrNull(row.dailyUsd),
    weeklyUsd: moneyOrNull(row.weeklyUsd),
    monthlyUsd: moneyOrNull(row.monthlyUsd),
    endUserDailyUsd: moneyOrNull(row.endUserDailyUsd),
  },
  allowedModels: row.allowedModels,
  maxPriceUsd: moneyOrNull(row.maxPriceUsd),
  errorFormat: row.errorFormat,
  cacheSeconds: row.cacheSeconds,
  redactPii: row.redactPii,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})
