import { schemaCheck } from '#platform/adapters/json-schema/schema-check'
import { requireStepUp } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import { audit } from '#platform/kernel/audit'
import { SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import type { ServedCatalog } from './catalog.ts'
import { PRICES } from './errors.ts'
import { checkCurrent, planSync, type SyncPlan } from './plan-sync.ts'
import { bookOfRows, priceAt } from './price-book.ts'
import { SyncBody, type PriceChange, type SyncReport } from './schema.ts'
import { allPrices, insertChangedPrices, lockPrices } from './sql.ts'
import { pricingView } from './view.ts'

const SOURCE_TIMEOUT_MS = 10 * SECOND
const SOURCE_CHARACTERS = 1_000_000

type SyncServices = Pick<Services, 'db' | 'config' | 'log'>

/**
 * Applies the changes of the request, else those of MODEL_PRICES_URL; without either it checks the current prices. Rejected
 * changes are reported, the others take effect. 502 if the URL gives no list of changes.
 */
export async function syncPrices(
  services: SyncServices,
  catalog: ServedCatalog,
  ctx: RequestContext,
  given: readonly PriceChange[] | undefined,
): Promise<SyncReport> {
  const { MODEL_PRICES_URL: url } = services.config
  const source = given ? 'request' : url ? 'url' : 'current'
  const changes = given ?? (url ? await readSource(services, url) : null)
  const plan = await services.db.transaction(tx => applyChanges(tx, ctx, { source, changes, catalog }))
  await catalog.refresh()
  const changed = plan.changed.map(price => ({ model: price.model, pricing: pricingView(price) }))
  return { source, checked: plan.checked, changed, rejected: plan.rejected }
}

interface Work {
  source: SyncReport['source']
  changes: readonly PriceChange[] | null
  catalog: ServedCatalog
}

async function applyChanges(
  tx: Tx,
  ctx: RequestContext,
  { source, changes, catalog }: Work,
): Promise<SyncPlan> {
  if (source === 'request') await requireStepUp(tx, ctx, tx.clock.real())
  await tx.run(lockPrices())
  const book = bookOfRows(await tx.rows(allPrices()))
  const prices = {
    find: (id: string) => catalog.find(id),
    priceOf: (model: { id: string }, at: Date) => priceAt(book, model, at),
  }
  const plan = changes
    ? planSync(changes, prices, tx.now)
    : checkCurrent([...catalog.models(), ...catalog.embeddingModels()], prices, tx.now)
  if (plan.changed.length) await tx.run(insertChangedPrices(plan.changed, tx.clock.real()))
  await audit(tx, ctx, 'gateway.prices_synced', {
    details: {
      source,
      checked: plan.checked,
      changed: plan.changed.map(({ model, validFrom, base }) => ({ model, validFrom, base })),
      rejected: plan.rejected,
    },
  })
  return plan
}

const isSyncBody = schemaCheck(SyncBody)

async function readSource({ log }: SyncServices, url: string): Promise<readonly PriceChange[]> {
  const unavailable = (hint: string) => apiError(PRICES.PRICE_SOURCE_UNAVAILABLE, { hint })
  const text = await fetch(url, { signal: AbortSignal.timeout(SOURCE_TIMEOUT_MS) })
    .then(async response =>
      response.ok ? response.text() : Promise.reject(new Error(`status ${response.status}`)),
    )
    .catch((error: unknown) => {
      log.warn({ err: error }, 'MODEL_PRICES_URL does not answer')
      throw unavailable('MODEL_PRICES_URL does not respond: try again')
    })
  const found = text.length > SOURCE_CHARACTERS ? undefined : parse(text)
  if (!isSyncBody(found) || !found.changes)
    throw unavailable('MODEL_PRICES_URL must respond with {"changes": [...]}, as the body of this operation')
  return found.changes
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
