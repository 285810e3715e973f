import type { Model, Price } from '../core/model.ts'
import type { PriceRow } from './sql.ts'

/** Prices by model, the newest first. */
export type PriceBook = ReadonlyMap<string, readonly Price[]>

/** Of prices in the order in which they take effect; of those of one moment the last one applies. */
export function bookOf(prices: readonly Price[]): PriceBook {
  const book = new Map<string, Price[]>()
  for (const price of prices) {
    const ofModel = book.get(price.model)
    if (ofModel) ofModel.unshift(price)
    else book.set(price.model, [price])
  }
  return book
}

export const bookOfRows = (rows: readonly PriceRow[]): PriceBook => bookOf(rows.map(priceOfRow))

const priceOfRow = (row: PriceRow): Price => ({
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

/** The price of a model at a moment. Every model has one of the beginning, so that a missing one is a defect. */
export function priceAt(book: PriceBook, { id }: Pick<Model, 'id'>, at: Date): Price {
  const price = book.get(id)?.find(({ validFrom }) => validFrom.getTime() <= at.getTime())
  if (!price) throw new Error(`no price of ${id} at ${at.toISOString()}`)
  return price
}
