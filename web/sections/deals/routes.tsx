import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'
import { given, numberParam, oneOf, textParam } from '../../parts/search-params.ts'
import { NEGOTIATION_STATES, SIDES, type DealSearch } from './search.ts'

const dealsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/deals',
  validateSearch: (search: Record<string, unknown>): DealSearch =>
    given({
      role: oneOf(SIDES, search.role),
      status: oneOf(NEGOTIATION_STATES, search.status),
      search: textParam(search.search),
      offset: numberParam(search.offset) || undefined,
    }),
  component: lazyRouteComponent(() => import('./deals.tsx'), 'Deals'),
})

const dealRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/deals/$id',
  component: lazyRouteComponent(() => import('./deal.tsx'), 'DealPage'),
})

export const dealRoutes = [dealsRoute, dealRoute] as const
