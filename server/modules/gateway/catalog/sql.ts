import { json, part, sql } from '#platform/kernel/sql'
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

/** Until the end of the transaction no other one changes prices. */
export const lockPrices = () => sql`lock table gateway_price in share row exclusive mode`

const rowsOf = (prices: readonly Price[]): string =>
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

const insertPrices = (prices: readonly Price[], source: 'initial' | 'sync', now: Date) => part`
  insert into gateway_price (model, valid_from, input, output, cache_read, cache_write, length_tiers, peak, source, created_at)
  select model, valid_from, input, output, cache_read, cache_write, length_tiers, nullif(peak, 'null'::jsonb), ${source}, ${now}
  from jsonb_to_recordset(${rowsOf(prices)}::jsonb) as p(model text, valid_from timestamptz, input bigint, output bigint,
    cache_read bigint, cache_write bigint, length_tiers jsonb, peak jsonb)`

/** Writes the first row of each model that has none; a second instance that starts at the same time writes nothing. */
export const insertInitialPrices = (prices: readonly Price[], now: Date) => sql`
  ${insertPrices(prices, 'initial', now)} on conflict (model) where source = 'initial' do nothing`

export const insertChangedPrices = (prices: readonly Price[], now: Date) =>
  sql`${insertPrices(prices, 'sync', now)}`
