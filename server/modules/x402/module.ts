import { approvals } from '#identity'
import { cardPayments } from '#payments'
import { railReconciliation } from '#reconciliation'
import { openWork } from '#overview'
import { walletPorts } from '#wallets'
import { part } from '#platform/kernel/sql'
import { defineModule } from '#platform/kernel/module'
import { x402AdminRoutes } from './admin-routes.ts'
import { localChain } from './chain/open.ts'
import { x402Checks } from './check.ts'
import { expirePayment } from './payment/expire.ts'
import { requestWalletFunding } from './payment/wallet-funding.ts'
import { heldByX402 } from './held.ts'
import { countSuspended, x402Metrics } from './metrics.ts'
import { reconcileChain } from './reconciliation/chain.ts'
import { x402Routes } from './routes.ts'
import { chainSandboxRoutes } from './sandbox-routes.ts'
import { settleApprovedExit } from './watch/suspense.ts'
import { chainLoop } from './work.ts'

export default defineModule({
  name: 'x402',
  ledgerChecks: x402Checks,
  create(services) {
    const loop = chainLoop(services)
    const isLocal = services.config.SVC_CHAIN === 'local'
    return {
      provides: [
        approvals.approvalExecutor.with('x402.suspense', settleApprovedExit),
        cardPayments.cryptoFunding.with(requestWalletFunding(services)),
        walletPorts.otherHeldAddresses.with(heldByX402(services)),
        openWork.with('transfers', async q => (await q.one(countSuspended())).count),
        railReconciliation.with(reconcileChain(services)),
      ],
      routes: app => {
        x402Routes(app, services)
        x402AdminRoutes(app, services)
        if (services.config.sandbox) chainSandboxRoutes(app, services)
      },
      timers: [
        {
          name: 'x402 payment expiry',
          table: 'x402_payment',
          column: 'expires_at',
          where: part`status = 'PENDING'`,
          run: expirePayment,
        },
      ],
      metrics: x402Metrics,
      async start() {
        if (isLocal) await localChain(services)
        loop.start()
      },
      async stop() {
        await loop.stop()
        if (isLocal) await (await localChain(services)).stop()
      },
    }
  },
})
