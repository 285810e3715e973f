import { accountCreated, approvals, organizations } from '#identity'
import { defineModule } from '#platform/kernel/module'
import { openKeyTree } from './addresses.ts'
import { walletChecks } from './check.ts'
import { walletsConstraints } from './errors.ts'
import { walletReservations } from './ports.ts'
import { walletRoutes } from './routes.ts'
import { createWalletOfNewAccount, createWalletOfNewOrganization } from './subscribers.ts'
import { executeApprovedTransfer } from './transfer.ts'
import { assignApprovedUnclaimed } from './unclaimed.ts'
import { voucherChecks, voucherRoutes, voucherTimer } from './vouchers/index.ts'

export default defineModule({
  name: 'wallets',
  constraints: walletsConstraints,
  ledgerChecks: [...walletChecks, ...voucherChecks],
  ports: [walletReservations],
  create: services => ({
    subscribes: [
      accountCreated.with(createWalletOfNewAccount),
      organizations.organizationCreated.with(createWalletOfNewOrganization),
    ],
    provides: [
      approvals.approvalExecutor.with('wallet.transfer', executeApprovedTransfer),
      approvals.approvalExecutor.with('wallets.unclaimed', assignApprovedUnclaimed),
    ],
    routes: app => {
      walletRoutes(app, services)
      voucherRoutes(app, services)
    },
    timers: [voucherTimer],
    start: () => openKeyTree(services),
  }),
})
