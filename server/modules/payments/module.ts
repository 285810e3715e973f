import { approvals } from '#identity'
import { railReconciliation } from '#reconciliation'
import { openWork } from '#overview'
import { walletPorts } from '#wallets'
import { TOTAL_CAP } from '#platform/http/schema'
import { defineModule } from '#platform/kernel/module'
import { chargeback } from './chargebacks/port.ts'
import { chargebackJobs, chargebackTimer, handleDisputeEvent } from './chargebacks/timers.ts'
import { chargeBackWalletFunding } from './chargebacks/wallet-funding.ts'
import { cryptoFunding } from './intents/crypto-funding.ts'
import { walletFundingDestination } from './intents/booking.ts'
import { paymentChecks } from './check.ts'
import { paymentConfirmed } from './events.ts'
import { paymentMetrics } from './metrics.ts'
import { paymentJobs, paymentTimers } from './intents/outcome.ts'
import { mailReceiptOfConfirmedPayment, receiptJob } from './intents/receipt.ts'
import { paymentDestination, processorEvent } from './ports.ts'
import { sandboxProcessor } from './processor.ts'
import { reconcileCards } from './reconciliation/card.ts'
import { recoverFromReturn } from './receivables/receivable.ts'
import { writeOffApproved } from './receivables/write-off.ts'
import { handleRefundEvent } from './refunds/events.ts'
import { refundJobs, refundTimers } from './refunds/refund.ts'
import { refundTotals } from './refunds/sql.ts'
import { paymentRoutes } from './routes.ts'
import { countSuspense, countUndefended } from './sql.ts'
import { settleApprovedSuspense } from './suspense/exit.ts'

export default defineModule({
  name: 'payments',
  ledgerChecks: paymentChecks,
  ports: [paymentDestination, processorEvent, chargeback, cryptoFunding],
  create: services => ({
    provides: [
      approvals.approvalExecutor.with('payments.suspense', settleApprovedSuspense),
      approvals.approvalExecutor.with('payments.receivable', writeOffApproved),
      paymentDestination.with('WALLET_FUNDING', walletFundingDestination),
      chargeback.with('WALLET_FUNDING', chargeBackWalletFunding),
      openWork.with('suspense', async q => (await q.one(countSuspense(true, TOTAL_CAP))).counted),
      openWork.with('chargebacks', async q => (await q.one(countUndefended())).count),
      walletPorts.returnRecovery.with((tx, { wallet, amount }) => recoverFromReturn(tx, wallet, amount)),
      walletPorts.cardRefundTotals.with((q, { walletIds, ...how }) => q.rows(refundTotals(walletIds, how))),
      railReconciliation.with(reconcileCards(services)),
      processorEvent.with('dispute', handleDisputeEvent(services)),
      processorEvent.with('refund', handleRefundEvent(services)),
    ],
    routes: app => paymentRoutes(app, services),
    timers: [
      ...paymentTimers(services),
      chargebackTimer(services),
      ...refundTimers(services),
      ...(services.config.sandbox ? sandboxProcessor(services).timers() : []),
    ],
    subscribes: [paymentConfirmed.with(mailReceiptOfConfirmedPayment(services))],
    jobs: [
      ...paymentJobs(services),
      ...refundJobs(services),
      receiptJob(services),
      ...chargebackJobs(services),
    ],
    metrics: paymentMetrics,
    async start() {
      if (services.config.sandbox) sandboxProcessor(services).notifier.start()
    },
    async stop() {
      if (services.config.sandbox) await sandboxProcessor(services).notifier.stop()
    },
  }),
})
