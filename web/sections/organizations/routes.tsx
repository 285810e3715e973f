import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'

const organizationsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/organizations',
  component: lazyRouteComponent(() => import('./organizations.tsx'), 'Organizations'),
})

const organizationRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/organizations/$slug',
  validateSearch: ({ offset }: Record<string, unknown>): { offset?: number } =>
    typeof offset === 'number' && offset > 0 ? { offset } : {},
  component: lazyRouteComponent(() => import('./organization.tsx'), 'OrganizationPage'),
})

export const organizationRoutes = [organizationsRoute, organizationRoute] as const
