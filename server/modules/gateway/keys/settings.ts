import { tidyName } from '#platform/http/display-name'
import { invalid } from '#platform/kernel/errors'
import { parseAmount } from '#platform/kernel/money'
import { VIRTUAL_MODELS, type ProviderApi } from '../core/model.ts'
import type { KeyFields } from './schema.ts'
import type { KeySettings } from './sql.ts'

/** Of a key whose owner sets nothing. */
export const DEFAULT_SETTINGS: KeySettings = {
  name: 'Routing key',
  rpm: null,
  tpm: null,
  parallel: null,
  dailyUsd: null,
  weeklyUsd: null,
  monthlyUsd: null,
  endUserDailyUsd: null,
  allowedModels: [],
  maxPriceUsd: null,
  errorFormat: 'envelope',
  cacheSeconds: 0,
  redactPii: false,
  expiresAt: null,
}

/** The part of the catalog that knows the names of models. */
export interface KnownModels {
  find(id: string): { api: ProviderApi } | undefined
}

/** The settings after a change of the given fields; null removes a limit. ApiError 400 for what cannot be set. */
export function changeSettings(
  before: KeySettings,
  { limits = {}, ...fields }: KeyFields,
  { now, catalog }: { now: Date; catalog: KnownModels },
): KeySettings {
  const expiresAt = typeof fields.expiresAt === 'string' ? new Date(fields.expiresAt) : fields.expiresAt
  if (expiresAt && expiresAt <= now) throw invalid('expiresAt must be in the future')
  const { allowedModels = before.allowedModels } = fields
  if (fields.allowedModels) requireModels('allowedModels', allowedModels, catalog)
  return {
    name: fields.name === undefined ? before.name : tidyName(fields.name),
    rpm: keep(limits.rpm, before.rpm),
    tpm: keep(limits.tpm, before.tpm),
    parallel: keep(limits.parallel, before.parallel),
    dailyUsd: keep(amountOf('limits.dailyUsd', limits.dailyUsd), before.dailyUsd),
    weeklyUsd: keep(amountOf('limits.weeklyUsd', limits.weeklyUsd), before.weeklyUsd),
    monthlyUsd: keep(amountOf('limits.monthlyUsd', limits.monthlyUsd), before.monthlyUsd),
    endUserDailyUsd: keep(amountOf('limits.endUserDailyUsd', limits.endUserDailyUsd), before.endUserDailyUsd),
    allowedModels: [...new Set(allowedModels)],
    maxPriceUsd: keep(amountOf('maxPriceUsd', fields.maxPriceUsd), before.maxPriceUsd),
    errorFormat: fields.errorFormat ?? before.errorFormat,
    cacheSeconds: fields.cacheSeconds ?? before.cacheSeconds,
    redactPii: fields.redactPii ?? before.redactPii,
    expiresAt: keep(expiresAt, before.expiresAt),
  }
}

export const keep = <Value>(given: Value | undefined, before: Value): Value =>
  given === undefined ? before : given

/** Micro-USD; null and undefined stay. */
export const amountOf = <Absent extends null | undefined>(
  field: string,
  amount: number | string | Absent,
): bigint | Absent =>
  typeof amount === 'number' || typeof amount === 'string' ? parseAmount(amount, { field }) : amount

/** 400 for names that are neither models of the catalog nor virtual models. */
export function requireModels(field: string, names: readonly string[], catalog: KnownModels): void {
  const unknown = names.find(name => !catalog.find(name) && !VIRTUAL_MODELS.some(known => known === name))
  if (unknown !== undefined) throw invalid(`${field} names an unknown model: ${unknown}; see GET /v1/models`)
}

/** True if a change allows more than before: it needs step-up. */
export function isWider(from: KeySettings, to: KeySettings): boolean {
  return LIMITS.some(name => isMore(from[name], to[name])) || lastsLonger(from, to) || allowsMore(from, to)
}

const LIMITS = [
  'rpm',
  'tpm',
  'parallel',
  'dailyUsd',
  'weeklyUsd',
  'monthlyUsd',
  'endUserDailyUsd',
  'maxPriceUsd',
] as const

const isMore = (from: number | bigint | null, to: number | bigint | null): boolean =>
  from !== null && (to === null || to > from)

const lastsLonger = ({ expiresAt: from }: KeySettings, { expiresAt: to }: KeySettings): boolean =>
  from !== null && (to === null || to > from)

const allowsMore = ({ allowedModels: from }: KeySettings, { allowedModels: to }: KeySettings): boolean =>
  from.length > 0 && (to.length === 0 || to.some(name => !from.includes(name)))

/** What the audit log says of a key: all but its name. */
export const powersOf = (settings: KeySettings): Record<string, unknown> => ({
  ...Object.fromEntries(LIMITS.map(name => [name, settings[name]?.toString() ?? null])),
  allowedModels: settings.allowedModels,
  errorFormat: settings.errorFormat,
  cacheSeconds: settings.cacheSeconds,
  redactPii: settings.redactPii,
  expiresAt: settings.expiresAt?.toISOString() ?? null,
})
