import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'
import { given, numberParam, oneOf } from '../../parts/search-params.ts'
import { STATES, type CommissionSearch } from './states.ts'

const affiliateRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/affiliate',
  component: lazyRouteComponent(() => import('./affiliate.tsx'), 'AffiliatePage'),
})

const applyRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/affiliate/apply',
  component: lazyRouteComponent(() => import('./apply.tsx'), 'Apply'),
})

const commissionsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/affiliate/commissions',
  validateSearch: ({ status, offset }: Record<string, unknown>): CommissionSearch =>
    given({ status: oneOf(STATES, status), offset: numberParam(offset) }),
  component: lazyRouteComponent(() => import('./commissions.tsx'), 'CommissionsPage'),
})

export const affiliateRoutes = [affiliateRoute, applyRoute, commissionsRoute] as const
