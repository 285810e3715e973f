import { accountEvents, approvals, organizations } from '#identity'
import { openWork } from '#overview'
import { defineModule } from '#platform/kernel/module'
import { openKeyTree } from './addresses.ts'
import { walletChecks } from './check.ts'
import { walletsConstraints } from './errors.ts'
import {
  cardRefundTotals,
  isClaimable,
  otherHeldAddresses,
  returnRecovery,
  walletReservations,
} from './ports.ts'
import { grantApprovedPromotion } from './promotion/promotion.ts'
import { walletRoutes } from './routes.ts'
import { createWalletOfNewAccount, createWalletOfNewOrganization } from './subscribers.ts'
import { executeApprovedTransfer } from './transfer.ts'
import { assignApprovedUnclaimed, unclaimedFunds } from './unclaimed.ts'
import { voucherChecks, voucherRoutes, voucherTimer } from './vouchers/index.ts'

export default defineModule({
  name: 'wallets',
  constraints: walletsConstraints,
  ledgerChecks: [...walletChecks, ...voucherChecks],
  ports: [walletReservations, otherHeldAddresses, isClaimable, returnRecovery, cardRefundTotals],
  create: services => ({
    subscribes: [
      accountEvents.accountCreated.with(createWalletOfNewAccount),
      organizations.organizationCreated.with(createWalletOfNewOrganization),
    ],
    provides: [
      approvals.approvalExecutor.with('wallet.transfer', executeApprovedTransfer),
      approvals.approvalExecutor.with('wallet.promotion', grantApprovedPromotion),
      approvals.approvalExecutor.with('wallets.unclaimed', assignApprovedUnclaimed),
      openWork.with('unclaimed', async q => (await unclaimedFunds(q, { limit: 1, offset: 0 })).total),
    ],
    routes: app => {
      walletRoutes(app, services)
      voucherRoutes(app, services)
    },
    timers: [voucherTimer],
    start: () => openKeyTree(services),
  }),
})
