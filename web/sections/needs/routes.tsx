import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute, publicRoute } from '../../app/root.tsx'

export interface NeedSearch {
  search?: string
  mine?: boolean
  offset?: number
}

const needsRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app/needs',
  validateSearch: ({ search, mine, offset }: Record<string, unknown>): NeedSearch => ({
    ...(typeof search === 'string' && search ? { search } : {}),
    ...(mine === true ? { mine } : {}),
    ...(typeof offset === 'number' && offset > 0 ? { offset } : {}),
  }),
  component: lazyRouteComponent(() => import('./needs.tsx'), 'Needs'),
})

const newNeedRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/needs/new',
  component: lazyRouteComponent(() => import('./new-need.tsx'), 'NewNeed'),
})

const needRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app/needs/$id',
  component: lazyRouteComponent(() => import('./need.tsx'), 'NeedPage'),
})

export const publicNeedRoutes = [needsRoute, needRoute] as const
export const privateNeedRoutes = [newNeedRoute] as const
