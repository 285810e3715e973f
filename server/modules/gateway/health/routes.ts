import { commandInSteps, query, type App } from '#platform/http/operations'
import { audit } from '#platform/kernel/audit'
import { formatMoney } from '#platform/kernel/money'
import type { Model, ProviderId } from '../core/model.ts'
import { postProbeCost } from '../funds/index.ts'
import { probeModels, type Probe, type ProbeParts } from './probe.ts'
import { HealthList, HealthRecord, ProbeRecord, StatusList } from './schema.ts'
import { statusOf } from './status.ts'

const tag = 'Routing gateway'
const open = { method: 'GET', tag, access: 'public', databaseFree: true } as const
const admin = { tag, access: { accept: ['jwt'], role: 'ADMIN' } } as const

/** What this instance knows about the models; and how an admin makes it look anew. */
export function healthRoutes(app: App, parts: ProbeParts): void {
  query(app, {
    ...open,
    url: '/v1/routing/health',
    id: 'getRoutingHealth',
    summary: 'Get the health of the gateway',
    success: [200, HealthRecord],
    run: async () => healthView(parts),
  })
  query(app, {
    ...open,
    url: '/v1/routing/model-status',
    id: 'listModelStatus',
    summary: 'List the status of the models',
    success: [200, StatusList],
    run: async () => listOf(parts.catalog.models().map(model => statusView(parts, model))),
  })
  query(app, {
    ...admin,
    method: 'GET',
    url: '/v1/routing/admin/model-health',
    id: 'listModelHealth',
    summary: 'List the health of the models',
    success: [200, HealthList],
    run: async () => listOf(parts.catalog.models().map(model => modelHealthView(parts, model))),
  })
  probeRoute(app, parts)
}

function probeRoute(app: App, parts: ProbeParts): void {
  commandInSteps(app, {
    ...admin,
    method: 'POST',
    url: '/v1/routing/admin/probe-models',
    id: 'probeModels',
    summary: 'Probe all models',
    success: [201, ProbeRecord],
    run: async (db, ctx) => {
      const probes = await probeModels(parts)
      const failed = probes.filter(({ failure }) => failure !== null).length
      const cost = await db.transaction(async tx => {
        const posted = await postProbeCost(tx, ctx, costsOf(probes))
        await audit(tx, ctx, 'gateway.models_probed', { details: { failed, cost: formatMoney(posted) } })
        return posted
      })
      return {
        probed: probes.length,
        failed,
        costUsd: formatMoney(cost),
        ...listOf(
          probes.map(({ model: { id, provider }, failure, latencyMs }) => ({
            model: id,
            provider,
            ok: failure === null,
            failure,
            latencyMs,
          })),
        ),
      }
    },
  })
}

function costsOf(probes: readonly Probe[]): Map<ProviderId, bigint> {
  const costs = new Map<ProviderId, bigint>()
  for (const { model, cost } of probes) costs.set(model.provider, (costs.get(model.provider) ?? 0n) + cost)
  return costs
}

const listOf = <T>(data: T[]) => ({ object: 'list' as const, data })

function healthView(parts: ProbeParts) {
  const statuses = parts.catalog.models().map(model => statusOf(parts, model))
  const count = (...those: (typeof statuses)[number][]) =>
    statuses.filter(each => those.includes(each)).length
  const configured = statuses.length - count('unconfigured')
  const available = count('available', 'degraded')
  const isOk = configured > 0 && count('available') === configured
  return {
    status: isOk ? ('ok' as const) : available ? ('degraded' as const) : ('unavailable' as const),
    simulated: parts.upstream.simulated,
    models: { total: statuses.length, configured, available },
    at: parts.clock.real().toISOString(),
  }
}

const statusView = (parts: ProbeParts, model: Model) => ({
  model: model.id,
  provider: model.provider,
  tier: model.tier,
  status: statusOf(parts, model),
  latencyMs: parts.health.viewOf(model.id).latencyMs,
})

function modelHealthView(parts: ProbeParts, model: Model) {
  const { state, calls, failures, lastFailure, lastFailureAt, lastSuccessAt, opensAt } = parts.health.viewOf(
    model.id,
  )
  return {
    ...statusView(parts, model),
    breaker: state,
    calls,
    failures,
    lastFailure,
    lastFailureAt: lastFailureAt?.toISOString() ?? null,
    lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
    retryAt: opensAt?.toISOString() ?? null,
  }
}
