import { Loop } from '#platform/kernel/background/loop'
import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import type { Catalog } from '../core/model.ts'
import { CHAT_MODELS, EMBEDDING_MODELS } from './data/models.ts'
import { INITIAL_PRICES } from './data/prices.ts'
import { bookOf, bookOfRows, priceAt } from './price-book.ts'
import { allPrices, countPrices, insertInitialPrices } from './sql.ts'

/** How long another instance does not know a change; shorter than the time from which it is valid. */
const REFRESH_MS = 2 * SECOND

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
    book = bookOfRows(found)
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
