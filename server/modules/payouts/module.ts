import { accountEvents, approvals } from '#identity'
import { processorEvent, walletFellShort } from '#payments'
import { railReconciliation } from '#reconciliation'
import { walletPorts } from '#wallets'
import { openWork } from '#overview'
import { defineModule } from '#platform/kernel/module'
import { accountJob, accountTimer } from './account/account.ts'
import { payoutChecks } from './check.ts'
import { endPayoutsOfClaimedAccount, returnPayoutsToWalletThatFellShort } from './end.ts'
import { payoutMailJob } from './mail.ts'
import { payoutMetrics } from './metrics.ts'
import { pursuePayoutOfEvent, refreshAccountOfEvent } from './processor-events.ts'
import { payoutJob, payoutTimer } from './payout/pursue.ts'
import { reconcileBankPayouts } from './reconciliation/bank.ts'
import { reconcileChainPayouts } from './reconciliation/chain.ts'
import { reservedByPayouts } from './reserved.ts'
import { cancelPayoutOfEndedApproval, releaseApprovedPayout } from './payout/review.ts'
import { countInReview } from './payout/sql.ts'
import { payoutRoutes } from './routes.ts'

export default defineModule({
  name: 'payouts',
  ledgerChecks: payoutChecks,
  create: services => ({
    subscribes: [
      accountEvents.accountClaimed.with(endPayoutsOfClaimedAccount),
      walletFellShort.with(returnPayoutsToWalletThatFellShort(services)),
      approvals.approvalEnded.with(cancelPayoutOfEndedApproval(services)),
    ],
    provides: [
      approvals.approvalExecutor.with('payouts.payout', releaseApprovedPayout),
      walletPorts.walletReservations.with(reservedByPayouts),
      openWork.with('payouts', async q => (await q.one(countInReview())).count),
      railReconciliation.with(reconcileBankPayouts(services)),
      railReconciliation.with(reconcileChainPayouts(services)),
      processorEvent.with('account', refreshAccountOfEvent(services)),
      processorEvent.with('transfer', pursuePayoutOfEvent(services)),
      processorEvent.with('payout', pursuePayoutOfEvent(services)),
    ],
    routes: app => payoutRoutes(app, services),
    timers: [payoutTimer(services), accountTimer(services)],
    jobs: [payoutJob(services), accountJob(services), payoutMailJob(services)],
    metrics: payoutMetrics,
  }),
})
