import { erasure } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import { Type, type Static } from '#platform/http/type'
import { AmountIn, Money, named, Nullable } from '#platform/http/schema'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { formatMoney } from '#platform/kernel/money'
import { DEFAULT_CONFIG, type RoutingConfig } from '../core/key.ts'
import type { HeldKeys } from './ring.ts'
import { ModelNames } from './schema.ts'
import { amountOf, keep, requireModels, type KnownModels } from './settings.ts'
import * as statements from './sql.ts'
import type { ConfigRow } from './sql.ts'

const Threshold = Type.Number({ minimum: 0, maximum: 1, description: 'Complexity, 0 to 1' })
const LAMBDA_MAX = 100

export const RoutingConfigRecord = named(
  'RoutingConfig',
  Type.Object({
    defaultModel: Type.String({ maxLength: 100, description: 'Model of a request without one' }),
    thresholds: Type.Object(
      {
        mid: { ...Threshold, description: 'From here on the tier mid' },
        premium: { ...Threshold, description: 'From here on the tier premium' },
      },
      { description: 'Complexity from which a request takes a tier' },
    ),
    allow: ModelNames('Models that may be selected; empty for all'),
    deny: ModelNames('Models that are never selected'),
    maxPriceUsd: Nullable({
      ...Money,
      description: 'Highest cost of one request in USD, with fee; null for no limit',
    }),
    lambda: Type.Number({ minimum: 0, description: 'Weight of the cost against the quality of a model' }),
    sticky: Type.Boolean({ description: 'Whether a conversation stays on its model for an hour' }),
    fallbacks: Type.Boolean({ description: 'Whether another model may answer where the first one fails' }),
  }),
)

const setting = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const ConfigBody = Type.Object({
  defaultModel: setting(
    Type.String({ minLength: 1, maxLength: 100, description: 'Model of a request without one' }),
  ),
  thresholds: setting(
    Type.Object(
      { mid: setting(Threshold), premium: setting(Threshold) },
      {
        description: 'Complexity from which a request takes this tier',
      },
    ),
  ),
  allow: setting(ModelNames('Models that may be selected; empty for all')),
  deny: setting(ModelNames('Models that are never selected')),
  maxPriceUsd: Type.Optional(
    Nullable(
      Type.Union([...AmountIn.anyOf], { description: 'Highest cost of one request in USD, with fee' }),
    ),
  ),
  lambda: setting(
    Type.Number({
      minimum: 0,
      maximum: LAMBDA_MAX,
      description: 'Weight of the cost against the quality of a model',
    }),
  ),
  sticky: setting(Type.Boolean({ description: 'A conversation stays on its model for an hour' })),
  fallbacks: setting(Type.Boolean({ description: 'Another model may answer where the first one fails' })),
})
type ConfigFields = Static<typeof ConfigBody>

/** What the account has set, with the defaults of the service for the rest. */
export const configOf = (row: ConfigRow): RoutingConfig => ({
  defaultModel: row.defaultModel ?? DEFAULT_CONFIG.defaultModel,
  thresholds: {
    mid: row.midThreshold ?? DEFAULT_CONFIG.thresholds.mid,
    premium: row.premiumThreshold ?? DEFAULT_CONFIG.thresholds.premium,
  },
  allow: row.allow ?? DEFAULT_CONFIG.allow,
  deny: row.deny ?? DEFAULT_CONFIG.deny,
  maxPriceUsd: row.maxPriceUsd ?? DEFAULT_CONFIG.maxPriceUsd,
  lambda: row.lambda ?? DEFAULT_CONFIG.lambda,
  sticky: row.sticky ?? DEFAULT_CONFIG.sticky,
  fallbacks: row.fallbacks ?? DEFAULT_CONFIG.fallbacks,
})

const UNSET: ConfigRow = {
  defaultModel: null,
  midThreshold: null,
  premiumThreshold: null,
  allow: null,
  deny: null,
  maxPriceUsd: null,
  lambda: null,
  sticky: null,
  fallbacks: null,
}

/** How the account of the caller wants its requests routed. */
export async function readConfig(q: Queryable, { principal }: RequestContext): Promise<RoutingConfig> {
  return configOf((await q.maybe(statements.configOfAccount(principal.accountId))) ?? UNSET)
}

/** Changes the given fields; null restores the default. ApiError 400 for what contradicts itself or names unknown models. */
export async function changeConfig(
  tx: Tx,
  ctx: RequestContext,
  fields: ConfigFields,
  { catalog, ring }: { catalog: KnownModels; ring: HeldKeys },
): Promise<RoutingConfig> {
  const { accountId } = ctx.principal
  const status = await erasure.lockAgainstDeletion(tx, [accountId])
  if (status.get(accountId) === 'DELETED') throw apiError(COMMON.UNAUTHORIZED)
  await tx.run(statements.insertConfig(accountId, tx.now))
  const before = await tx.one(statements.lockConfig(accountId))
  const row = changed(before, fields)
  const config = configOf(row)
  requireConsistent(config, catalog)
  await tx.run(statements.updateConfig(accountId, row, tx.now))
  await audit(tx, ctx, 'routing_config.changed', {
    target: ['account', accountId],
    details: { from: configView(configOf(before)), to: configView(config) },
  })
  tx.afterCommit(() => ring.invalidate())
  return config
}

function changed(before: ConfigRow, fields: ConfigFields): ConfigRow {
  // Null for the whole object restores both.
  const thresholds = fields.thresholds === null ? { mid: null, premium: null } : (fields.thresholds ?? {})
  return {
    defaultModel: keep(fields.defaultModel, before.defaultModel),
    midThreshold: keep(thresholds.mid, before.midThreshold),
    premiumThreshold: keep(thresholds.premium, before.premiumThreshold),
    allow: keep(fields.allow && [...new Set(fields.allow)], before.allow),
    deny: keep(fields.deny && [...new Set(fields.deny)], before.deny),
    maxPriceUsd: keep(amountOf('maxPriceUsd', fields.maxPriceUsd), before.maxPriceUsd),
    lambda: keep(fields.lambda, before.lambda),
    sticky: keep(fields.sticky, before.sticky),
    fallbacks: keep(fields.fallbacks, before.fallbacks),
  }
}

function requireConsistent(config: RoutingConfig, catalog: KnownModels): void {
  const { defaultModel, thresholds, allow, deny } = config
  requireModels('defaultModel', [defaultModel], catalog)
  for (const [field, names] of [
    ['allow', allow],
    ['deny', deny],
  ] as const) {
    const unknown = names.find(name => !catalog.find(name))
    if (unknown !== undefined)
      throw invalid(`${field} must contain models of GET /v1/models; ${unknown} is none of them`)
  }
  if (thresholds.mid > thresholds.premium)
    throw invalid('thresholds.mid must not be above thresholds.premium')
  const both = allow.find(name => deny.includes(name))
  if (both !== undefined) throw invalid(`allow and deny must not both contain ${both}`)
  if (deny.includes(defaultModel)) throw invalid(`deny must not contain the default model ${defaultModel}`)
  requireUsableDefault(config, catalog)
}

/** A virtual name selects among the models that are allowed; a model must be one of them, and answer prompts. */
function requireUsableDefault({ defaultModel, allow }: RoutingConfig, catalog: KnownModels): void {
  const model = catalog.find(defaultModel)
  if (!model) return
  if (model.api === 'openai-embeddings')
    throw invalid(`defaultModel must answer prompts; ${defaultModel} is an embedding model`)
  if (allow.length && !allow.includes(defaultModel))
    throw invalid(`allow must contain the default model ${defaultModel}, or be empty`)
}

export const configView = (config: RoutingConfig): Static<typeof RoutingConfigRecord> => ({
  ...config,
  thresholds: { ...config.thresholds },
  allow: [...config.allow],
  deny: [...config.deny],
  maxPriceUsd: config.maxPriceUsd === null ? null : formatMoney(config.maxPriceUsd),
})
