import { json, sql } from '#platform/kernel/sql'
import type { Price, Rates } from '../core/model.ts'

/** A row of `gateway_price`; the driver gives bigint columns as bigint. */
export interface PriceRow {
  model: string
  validFrom: Date
  input: bigint
  output: bigint
  cacheRead: bigint
  cacheWrite: bigint
  lengthTiers: { above: number; rates: Rates }[]
  peak: Price['peak']
}

/** All rows; of those of one moment the newest is last. */
export const allPrices = () => sql<PriceRow>`
  select model, valid_from, input, output, cache_read, cache_write, length_tiers, peak
  from gateway_price order by valid_from, seq`

/** Rows are only ever added: another number means other rows. */
export const countPrices = () => sql<{ counted: number }>`select count(*)::int as counted from gateway_price`

const values = (prices: readonly Price[]): string =>
  json(
    prices.map(({ model, validFrom, base, lengthTiers, peak }) => ({
      model,
      valid_from: validFrom,
      input: base.input,
      output: base.output,
      cache_read: base.cacheRead,
      cache_write: base.cacheWrite,
      length_tiers: lengthTiers,
      peak,
    })),
  )

/** Writes the first row of each model that has none; a second instance that starts at the same time writes nothing. */
export const insertInitialPrices = (prices: readonly Price[], now: Date) => sql`
  insert into gateway_price (model, valid_from, input, output, cache_read, cache_write, length_tiers, peak, source, created_at)
  select model, valid_from, input, output, cache_read, cache_write, length_tiers, nullif(peak, 'null'::jsonb), 'initial', ${now}
  from jsonb_to_recordset(${values(prices)}::jsonb) as p(model text, valid_from timestamptz, input bigint, output bigint,
    cache_read bigint, cache_write bigint, length_tiers jsonb, peak jsonb)
  on conflict (model) where source = 'initial' do nothing`
