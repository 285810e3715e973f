import type { Queryable } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { formatMoney } from '#platform/kernel/money'
import { ratesAt } from '../catalog/index.ts'
import type { Catalog, Model, Price } from '../core/model.ts'
import { spanOf } from './span.ts'
import { pricesOf, tokensPricedAlike, type PricedAlike } from './sql.ts'
import { periodOf } from './summary.ts'

export interface SavingsQuery {
  from?: string
  to?: string
  baselineModel?: string
}

/**
 * What the chat requests of an account would have cost at the baseline model: the same tokens at its prices at the time of
 * each request. Both amounts are without the fee. ApiError 400 for an unknown baseline.
 */
export async function savings(
  q: Queryable & { now: Date },
  catalog: Catalog,
  accountId: string,
  query: SavingsQuery,
) {
  const baseline = baselineOf(catalog, query.baselineModel, q.now)
  const prices = (await q.rows(pricesOf(baseline.id))).map(priceOfRow)
  const changes = prices.map(({ validFrom }) => validFrom)
  const span = spanOf(query, q.now, changes)
  const byHour = prices.some(({ peak }) => peak)
  const groups = await q.rows(tokensPricedAlike(accountId, span, { changes, byHour }))
  const baselineNano = groups.reduce((total, group) => total + costOf(group, prices), 0n)
  const actualNano = groups.reduce((total, { costNano }) => total + costNano, 0n)
  const [baselineUsd, actualUsd] = [roundToMicro(baselineNano), roundToMicro(actualNano)]
  return {
    baselineModel: baseline.id,
    baselineUsd: formatMoney(baselineUsd),
    actualUsd: formatMoney(actualUsd),
    savedUsd: formatMoney(baselineUsd - actualUsd),
    savedPct: percent(baselineNano - actualNano, baselineNano),
    ...periodOf(span),
  }
}

/** The model that was asked for, or the one of the pool with the highest price. */
function baselineOf(catalog: Catalog, id: string | undefined, now: Date): Model {
  const models = catalog.models()
  const listed = (model: Model) => {
    const { base } = catalog.priceOf(model, now)
    return base.input + base.output
  }
  const found =
    id === undefined
      ? models.reduce((highest, model) => (listed(model) > listed(highest) ? model : highest))
      : models.find(model => model.id === id)
  if (!found) throw invalid('baselineModel must be a model of GET /v1/models')
  return found
}

const priceOfRow = (row: {
  model: string
  validFrom: Date
  input: bigint
  output: bigint
  cacheRead: bigint
  cacheWrite: bigint
  lengthTiers: Price['lengthTiers']
  peak: Price['peak']
}): Price => ({
  model: row.model,
  validFrom: row.validFrom,
  base: {
    input: Number(row.input),
    output: Number(row.output),
    cacheRead: Number(row.cacheRead),
    cacheWrite: Number(row.cacheWrite),
  },
  lengthTiers: row.lengthTiers,
  peak: row.peak,
})

function costOf(group: PricedAlike, prices: readonly Price[]): bigint {
  // Requests before the first price, of a database that is older than it, are priced with it.
  const price = prices[Math.max(group.period, 1) - 1]
  if (!price) return 0n
  const rates = ratesAt(price, group.promptAbove + 1, group.at)
  return (
    group.uncached * BigInt(rates.input) +
    group.cacheRead * BigInt(rates.cacheRead) +
    group.cacheWrite * BigInt(rates.cacheWrite) +
    group.output * BigInt(rates.output)
  )
}

const roundToMicro = (nano: bigint): bigint => (nano + 999n) / 1000n

/** With two decimals; 0 of nothing. */
const percent = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100
