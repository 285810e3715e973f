import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'

const profileRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/account',
  component: lazyRouteComponent(() => import('./profile.tsx'), 'Profile'),
})

const securityRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/account/security',
  validateSearch: ({ offset }: Record<string, unknown>): { offset?: number } =>
    typeof offset === 'number' && offset > 0 ? { offset } : {},
  component: lazyRouteComponent(() => import('./security.tsx'), 'Security'),
})

const notificationsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/account/notifications',
  component: lazyRouteComponent(() => import('./notifications.tsx'), 'NotificationSettings'),
})

const planRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/account/plan',
  component: lazyRouteComponent(() => import('./plan.tsx'), 'Plan'),
})

/** The authorization endpoint of OAuth, to which clients of `/mcp` send a browser. */
const authorizeRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/authorize',
  component: lazyRouteComponent(() => import('./authorize.tsx'), 'Authorize'),
})

export const accountRoutes = [
  profileRoute,
  securityRoute,
  notificationsRoute,
  planRoute,
  authorizeRoute,
] as const
