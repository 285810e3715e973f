import { schemas } from '#identity'
import { Type, type Static } from '#platform/http/type'
import { AmountIn, Id, Moment, Money, named, Nullable } from '#platform/http/schema'
import { formatMoney } from '#platform/kernel/money'
import type { KeyRow } from './sql.ts'

const ErrorFormat = named('ErrorFormat', Type.Enum(['envelope', 'openai']))
const MaybeMoney = Nullable(Money)
const MaybeCount = Nullable(Type.Integer())

export const RoutingKeyRecord = named(
  'RoutingKey',
  Type.Object({
    id: Id,
    name: Type.String(),
    keyPrefix: Type.String({ description: 'Prefix and last four characters', examples: ['rk_…aB3x'] }),
    status: Type.Enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
    limits: named(
      'RoutingKeyLimits',
      Type.Object({
        rpm: MaybeCount,
        tpm: MaybeCount,
        parallel: MaybeCount,
        dailyUsd: MaybeMoney,
        weeklyUsd: MaybeMoney,
        monthlyUsd: MaybeMoney,
        endUserDailyUsd: MaybeMoney,
      }),
    ),
    allowedModels: Type.Array(Type.String(), { description: 'Empty for all' }),
    maxPriceUsd: MaybeMoney,
    errorFormat: ErrorFormat,
    cacheSeconds: Type.Integer(),
    redactPii: Type.Boolean(),
    expiresAt: Nullable(Moment),
    createdAt: Moment,
    lastUsedAt: Nullable(Moment),
  }),
)

export const RoutingKeyWithKey = named(
  'RoutingKeyWithKey',
  Type.Object({
    ...RoutingKeyRecord.properties,
    key: Type.String({ description: 'The rk_ key, shown once' }),
  }),
)

export const RoutingKeyList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(RoutingKeyRecord),
})

const count = (maximum: number, description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum, description })))
const amount = (description: string) =>
  Type.Optional(Nullable(Type.Union([...AmountIn.anyOf], { description })))

/** Names of models, in requests. */
export const ModelNames = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, description })

export const KeyBody = Type.Object({
  name: Type.Optional(schemas.DisplayName),
  limits: Type.Optional(
    Type.Object({
      rpm: count(1_000_000, 'Requests in a minute'),
      tpm: count(1_000_000_000, 'Tokens in a minute'),
      parallel: count(10_000, 'Requests at the same time'),
      dailyUsd: amount('USD on a day (UTC), with fee'),
      weeklyUsd: amount('USD in a week, from Monday (UTC), with fee'),
      monthlyUsd: amount('USD in a calendar month (UTC), with fee'),
      endUserDailyUsd: amount('USD on a day (UTC) for each value of `user` in requests'),
    }),
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
  expiresAt: Type.Optional(Nullable(Moment)),
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
