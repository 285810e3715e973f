import { Loop } from '#platform/kernel/background/loop'
import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import type { Catalog, Model, Price } from '../core/model.ts'
import { CHAT_MODELS, EMBEDDING_MODELS } from './data/models.ts'
import { INITIAL_PRICES } from './data/prices.ts'
import { allPrices, countPrices, insertInitialPrices, type PriceRow } from './sql.ts'

/** How long another instance may use old prices after a change. */
const REFRESH_MS = 2 * SECOND

/** Prices by model, the newest first. */
type PriceBook = ReadonlyMap<string, readonly Price[]>

function bookOf(prices: readonly Price[]): PriceBook {
  const book = new Map<string, Price[]>()
  for (const price of prices) {
    const own = book.get(price.model)
    if (own) own.unshift(price)
    else book.set(price.model, [price])
  }
  return book
}

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

/** The catalog of a running service, and how it follows the rows of `gateway_price`. */
export interface ServedCatalog extends Catalog {
  /** Reads the rows again if there are new ones. */
  refresh(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Models and prices in memory: a request causes no SQL. Before `start` the committed prices apply. */
export function createCatalog({ db, log, clock }: Pick<Services, 'db' | 'log' | 'clock'>): ServedCatalog {
  const byId = new Map([...CHAT_MODELS, ...EMBEDDING_MODELS].map(model => [model.id, model]))
  let book = bookOf(INITIAL_PRICES)
  let rows = 0

  async function refresh(): Promise<void> {
    const { counted } = await db.one(countPrices())
    if (counted === rows) return
    const found = await db.rows(allPrices())
    book = bookOf(found.map(priceOfRow))
    rows = found.length
  }
  const loop = new Loop('model prices', REFRESH_MS, log, refresh)

  return {
    models: () => CHAT_MODELS,
    embeddingModels: () => EMBEDDING_MODELS,
    find: id => byId.get(id),
    priceOf: (model, at) => priceAt(book, model, at),
    refresh,
    async start() {
      await db.run(insertInitialPrices(INITIAL_PRICES, clock.real()))
      await refresh()
      loop.start()
    },
    stop: () => loop.stop(),
  }
}

function priceAt(book: PriceBook, { id }: Model, at: Date): Price {
  const prices = book.get(id) ?? []
  const price = prices.find(({ validFrom }) => validFrom.getTime() <= at.getTime())
  if (!price) throw new Error(`no price of ${id} at ${at.toISOString()}`)
  return price
}
