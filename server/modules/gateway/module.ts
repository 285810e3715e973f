import { accountEvents, approvals, credentials } from '#identity'
import { chargebacks, paymentDestination } from '#payments'
import { defineModule } from '#platform/kernel/module'
import { analyticsRoutes, createAnalytics } from './analytics/index.ts'
import { chatRoutes, composeCalls } from './calls/index.ts'
import { catalogRoutes, createCatalog } from './catalog/index.ts'
import type { Model } from './core/model.ts'
import {
  createFunds,
  fundsChecks,
  fundsMetrics,
  fundsRoutes,
  providerRoutes,
  recordApprovedInvoice,
  topUps,
} from './funds/index.ts'
import { createModelHealth, healthRoutes, statusOf } from './health/index.ts'
import {
  createKeyLimiter,
  HeldKeys,
  revokeRoutingKeysOf,
  routingConfigRoutes,
  routingKeyRoutes,
} from './keys/index.ts'
import { createUpstream } from './providers/index.ts'
import { createRouter, routingRoutes } from './routing/index.ts'
import { surfaceRoutes } from './surfaces/index.ts'

export default defineModule({
  name: 'gateway',
  ledgerChecks: fundsChecks,
  create(services) {
    const catalog = createCatalog(services)
    const funds = createFunds(services)
    const ring = new HeldKeys(services, catalog)
    const health = createModelHealth()
    const breakers = () => catalog.models().map(({ id }) => [id, health.stateOf(id)] as const)
    const analytics = createAnalytics(services, breakers)
    const upstream = createUpstream(services)
    const { qualityBonus } = analytics
    const router = createRouter({ ...services, catalog, upstream, health, qualityBonus })
    const limiter = createKeyLimiter(services.config.GATEWAY_ACCOUNT_PARALLEL)
    const given = { catalog, limiter, router, funds, upstream, health, observer: analytics }
    const { calls, parts } = composeCalls(services, given)
    const statusOfModel = (model: Model) => statusOf({ health, upstream }, model)
    return {
      metrics: fundsMetrics,
      provides: [
        credentials.routingKeyProof.with((_, text) => ring.prove(text)),
        approvals.approvalExecutor.with('gateway.invoice', recordApprovedInvoice),
        paymentDestination.with('ROUTING', topUps.routingDestination),
        chargebacks.chargeback.with('ROUTING', topUps.chargeBackTopUp),
      ],
      subscribes: [
        credentials.credentialsChanged.with(async tx => tx.afterCommit(() => ring.invalidate())),
        credentials.apiKeysRevoked.with(revokeRoutingKeysOf),
        accountEvents.accountClaimed.with(revokeRoutingKeysOf),
      ],
      routes(app) {
        fundsRoutes(app, services, funds)
        providerRoutes(app, services)
        catalogRoutes(app, services, { catalog, statusOf: statusOfModel })
        chatRoutes(app, { calls, ring })
        surfaceRoutes(app, { calls, ring, parts })
        healthRoutes(app, { ...services, catalog, health, upstream })
        routingKeyRoutes(app, services, { ...services, ring, catalog })
        routingConfigRoutes(app, { ring, catalog })
        analyticsRoutes(app, services, { catalog, loadOutcomes: analytics.loadOutcomes })
        routingRoutes(app, { ...services, catalog, router, ring })
      },
      metricsText: analytics.metricsText,
      async start() {
        await catalog.start()
        funds.start()
        await analytics.start()
        ring.start()
      },
      async stop() {
        await ring.stop()
        await upstream.stop()
        await analytics.stop()
        await catalog.stop()
        // Last, because requests that end with the others are settled here.
        await funds.stop()
      },
    }
  },
})
