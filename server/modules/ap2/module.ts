import { agentKeys, agentPorts } from '#agents'
import { chargebacks, paymentDestination, paymentFailed } from '#payments'
import { artifactAccess, endedDeliveries } from '#vault'
import { walletPorts } from '#wallets'
import { dayFigures, openWork } from '#overview'
import { defineModule } from '#platform/kernel/module'
import { administrationRoutes } from './administration/routes.ts'
import { countEscrowsIn, dealsByDay } from './administration/sql.ts'
import { escrowChecks } from './check.ts'
import { lockDealsOfAgent } from './deal/agent-owner.ts'
import { reservedByEscrows } from './deal/reserved.ts'
import { deliveryRoutes } from './delivery/routes.ts'
import { adminRoutes } from './dispute/admin-routes.ts'
import { accessOfParties, endedAmong } from './delivery/vault.ts'
import { disputeRoutes } from './dispute/routes.ts'
import { ap2Constraints } from './errors.ts'
import { chargeBackEscrow } from './escrow/chargeback.ts'
import {
  escrowsFrozenByRevocation,
  freezeDealsOfRevokedAgent,
  refuseArchivingWithLiveEscrows,
  unfreezeDealsOfAgentWithNewKey,
} from './escrow/freeze.ts'
import { escrowMetrics } from './escrow/frozen.ts'
import { escrowRoutes } from './escrow/routes.ts'
import { cancelEscrowOfFailedPayment, escrowDestination } from './funding/arrival.ts'
import { fundingRoutes } from './funding/routes.ts'
import { hireRoutes } from './hire/routes.ts'
import { negotiationRoutes } from './negotiation/routes.ts'
import { waitingRuns } from './execution/index.ts'
import { commissionLegs, referralOf } from './affiliation.ts'
import { workWatch } from './ports.ts'
import { termsRoutes } from './terms/routes.ts'
import { ap2Jobs, ap2Timers } from './timers.ts'
import { agentDealRoutes } from './views/routes.ts'

export default defineModule({
  name: 'ap2',
  constraints: ap2Constraints,
  ledgerChecks: escrowChecks,
  ports: [commissionLegs, referralOf, workWatch, waitingRuns],
  create: services => ({
    subscribes: [
      agentKeys.agentKeysRevoked.with(freezeDealsOfRevokedAgent),
      agentKeys.agentKeyIssued.with(unfreezeDealsOfAgentWithNewKey),
      paymentFailed.with(cancelEscrowOfFailedPayment),
    ],
    provides: [
      paymentDestination.with('ESCROW', escrowDestination(services)),
      chargebacks.chargeback.with('ESCROW', chargeBackEscrow),
      openWork.with('disputes', async q => (await q.one(countEscrowsIn('DISPUTED'))).count),
      openWork.with('frozenEscrows', async q => (await q.one(countEscrowsIn('FROZEN'))).count),
      dayFigures.with((q, { from }) => q.rows(dealsByDay(from))),
      walletPorts.walletReservations.with(reservedByEscrows),
      agentPorts.lockBeforeAgent.with(lockDealsOfAgent),
      agentPorts.archiveGuard.with(refuseArchivingWithLiveEscrows),
      artifactAccess.with(accessOfParties),
      endedDeliveries.with(endedAmong),
      agentKeys.frozenEscrows.with(escrowsFrozenByRevocation),
    ],
    timers: ap2Timers(services),
    jobs: ap2Jobs(services),
    metrics: escrowMetrics,
    routes(app) {
      negotiationRoutes(app, services)
      termsRoutes(app, services)
      escrowRoutes(app, services)
      fundingRoutes(app, services)
      hireRoutes(app, services)
      deliveryRoutes(app, services)
      disputeRoutes(app, services)
      adminRoutes(app, services)
      agentDealRoutes(app, services)
      administrationRoutes(app)
    },
  }),
})
