import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'
import { listSearch } from './parts/search.ts'
import * as states from './states.ts'

const adminRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/admin',
  component: lazyRouteComponent(() => import('./parts/gate.tsx'), 'Gate'),
})

const overviewRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./system/overview.tsx'), 'Overview'),
})

const usersRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/users',
  validateSearch: listSearch({ search: null, status: states.USER_STATES, role: states.ROLES }),
  component: lazyRouteComponent(() => import('./people/users.tsx'), 'Users'),
})

const userRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('./people/user.tsx'), 'User'),
})

const agentsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/agents',
  validateSearch: listSearch({ status: states.AGENT_STATES }),
  component: lazyRouteComponent(() => import('./people/agents.tsx'), 'Agents'),
})

const affiliatesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/affiliates',
  validateSearch: listSearch({ tab: ['affiliates', 'commissions'], status: null }),
  component: lazyRouteComponent(() => import('./people/affiliates.tsx'), 'Affiliates'),
})

const escrowsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/escrows',
  validateSearch: listSearch({ status: states.ESCROW_STATES }),
  component: lazyRouteComponent(() => import('./deals/escrows.tsx'), 'Escrows'),
})

const escrowRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/escrows/$id',
  component: lazyRouteComponent(() => import('./deals/escrow.tsx'), 'EscrowPage'),
})

const approvalsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/approvals',
  validateSearch: listSearch({ status: states.APPROVAL_STATES }),
  component: lazyRouteComponent(() => import('./money/approvals.tsx'), 'Approvals'),
})

const chargebacksRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/chargebacks',
  validateSearch: listSearch({ status: states.CHARGEBACK_STATES }),
  component: lazyRouteComponent(() => import('./money/chargebacks.tsx'), 'Chargebacks'),
})

const suspenseRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/suspense',
  validateSearch: listSearch({ kind: ['payments', 'unclaimed', 'transfers'] }),
  component: lazyRouteComponent(() => import('./money/waiting-money.tsx'), 'WaitingMoney'),
})

const payoutsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/payouts',
  validateSearch: listSearch({ status: states.PAYOUT_STATES }),
  component: lazyRouteComponent(() => import('./money/payouts.tsx'), 'Payouts'),
})

const reconciliationRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/reconciliation',
  validateSearch: listSearch({}),
  component: lazyRouteComponent(() => import('./money/reconciliation.tsx'), 'Reconciliation'),
})

const ledgerRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/ledger',
  validateSearch: listSearch({ code: null }),
  component: lazyRouteComponent(() => import('./books/ledger.tsx'), 'Ledger'),
})

const ledgerAccountRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/ledger/$account',
  validateSearch: listSearch({}),
  component: lazyRouteComponent(() => import('./books/ledger-account.tsx'), 'LedgerAccountPage'),
})

const journalRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/ledger/journals/$id',
  component: lazyRouteComponent(() => import('./books/journal.tsx'), 'Journal'),
})

const auditRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/audit',
  validateSearch: listSearch({ action: null, actorId: null, targetId: null, from: null, to: null }),
  component: lazyRouteComponent(() => import('./books/audit.tsx'), 'Audit'),
})

const modelsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/models',
  component: lazyRouteComponent(() => import('./system/models.tsx'), 'Models'),
})

const settingsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./system/settings.tsx'), 'Settings'),
})

const healthRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: '/health',
  component: lazyRouteComponent(() => import('./system/health.tsx'), 'Health'),
})

export const adminRoutes = [
  adminRoute.addChildren([
    overviewRoute,
    usersRoute,
    userRoute,
    agentsRoute,
    affiliatesRoute,
    escrowsRoute,
    escrowRoute,
    approvalsRoute,
    chargebacksRoute,
    suspenseRoute,
    payoutsRoute,
    reconciliationRoute,
    ledgerRoute,
    ledgerAccountRoute,
    journalRoute,
    auditRoute,
    modelsRoute,
    settingsRoute,
    healthRoute,
  ]),
] as const
