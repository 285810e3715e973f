import { Type } from '#platform/http/type'
import { commandInSteps, query, type App } from '#platform/http/operations'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { VIRTUAL_MODELS, type Model } from '../core/model.ts'
import { ROUTING } from '../routing/errors.ts'
import type { ServedCatalog } from './catalog.ts'
import {
  ModelList,
  ModelRecord,
  SyncBody,
  SyncReport,
  VirtualModelRecord,
  type ModelStatus,
  type ModelView,
} from './schema.ts'
import { syncPrices } from './sync.ts'
import { modelView, virtualModelView, virtualModelViews } from './view.ts'

/** What a model's provider and breaker say; without it every model is available. */
export type StatusOf = (model: Model) => ModelStatus

export interface CatalogParts {
  catalog: ServedCatalog
  statusOf?: StatusOf
}

const ID = Type.String({ maxLength: 100, description: 'Name of a model' })
const read = { tag: 'Routing gateway', method: 'GET', access: 'public', databaseFree: true } as const

export function catalogRoutes(app: App, services: Services, parts: CatalogParts): void {
  listRoutes(app, services, parts)
  modelRoutes(app, services, parts)
  commandInSteps(app, {
    tag: read.tag,
    method: 'POST',
    url: '/v1/routing/admin/sync-models',
    id: 'syncModels',
    summary: 'Change the prices of models, or check them',
    access: { accept: ['jwt'], role: 'ADMIN' },
    body: SyncBody,
    errors: [502],
    success: [201, SyncReport],
    run: (_db, ctx, { body }) => syncPrices(services, parts.catalog, ctx, body?.changes),
  })
}

/** A model as it is now. */
const viewOf =
  ({ clock }: Services, { catalog, statusOf = () => 'available' }: CatalogParts) =>
  (model: Model): ModelView =>
    modelView(model, catalog.priceOf(model, clock.now()), statusOf(model))

function listRoutes(app: App, services: Services, parts: CatalogParts): void {
  const view = viewOf(services, parts)
  const list = {
    ...read,
    summary: 'List the models',
    success: [200, ModelList],
    run: async () => ({
      object: 'list' as const,
      data: parts.catalog.models().map(view),
      virtual: virtualModelViews(),
      embeddings: parts.catalog.embeddingModels().map(view),
    }),
  } as const
  query(app, { ...list, url: '/v1/models', id: 'listModels' })
  query(app, { ...list, url: '/v1/routing/models', id: 'listRoutingModels' })
}

function modelRoutes(app: App, services: Services, parts: CatalogParts): void {
  const view = viewOf(services, parts)
  const find = (id: string) => {
    const model = parts.catalog.find(id)
    if (model) return view(model)
    if (VIRTUAL_MODELS.some(name => name === id)) return virtualModelView(id)
    throw apiError(ROUTING.MODEL_NOT_FOUND, { hint: 'GET /v1/models lists the models' })
  }
  const one = {
    ...read,
    summary: 'Get a model',
    success: [200, Type.Union([ModelRecord, VirtualModelRecord])],
  } as const
  query(app, {
    ...one,
    url: '/v1/models/{id}',
    id: 'getModel',
    params: Type.Object({ id: ID }),
    run: async (_q, _ctx, { params }) => find(params.id),
  })
  // The names of virtual models have a slash, which not every client encodes.
  query(app, {
    ...one,
    url: '/v1/models/{namespace}/{id}',
    id: 'getNamespacedModel',
    hidden: true,
    params: Type.Object({ namespace: ID, id: ID }),
    run: async (_q, _ctx, { params }) => find(`${params.namespace}/${params.id}`),
  })
}
