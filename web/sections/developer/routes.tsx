import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'
import { given, numberParam, oneOf } from '../../parts/search-params.ts'
import { PERIODS, requestSearch, type Period } from './search.ts'

const offsetOnly = ({ offset }: Record<string, unknown>): { offset?: number | undefined } =>
  given({ offset: numberParam(offset) })

const accountsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/keys',
  validateSearch: offsetOnly,
  component: lazyRouteComponent(() => import('./accounts/service-accounts.tsx'), 'ServiceAccounts'),
})

const routingKeysRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/routing-keys',
  component: lazyRouteComponent(() => import('./routing/routing-keys.tsx'), 'RoutingKeys'),
})

const requestsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/requests',
  validateSearch: requestSearch,
  component: lazyRouteComponent(() => import('./usage/requests.tsx'), 'Requests'),
})

const playgroundRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/playground',
  component: lazyRouteComponent(() => import('./playground/playground.tsx'), 'Playground'),
})

const usageRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/usage',
  validateSearch: ({ period }: Record<string, unknown>): { period?: Period | undefined } =>
    given({ period: oneOf(PERIODS, period) }),
  component: lazyRouteComponent(() => import('./usage/usage.tsx'), 'Usage'),
})

const balanceRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/balance',
  component: lazyRouteComponent(() => import('./routing/balance.tsx'), 'Balance'),
})

const modelsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/models',
  component: lazyRouteComponent(() => import('./routing/models.tsx'), 'Models'),
})

const settingsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/developer/routing',
  component: lazyRouteComponent(() => import('./routing/settings.tsx'), 'RoutingSettings'),
})

export const developerRoutes = [
  accountsRoute,
  routingKeysRoute,
  requestsRoute,
  playgroundRoute,
  usageRoute,
  balanceRoute,
  modelsRoute,
  settingsRoute,
] as const
