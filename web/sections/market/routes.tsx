import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { privateRoute, publicRoute } from '../../app/root.tsx'
import { agentSearch } from './search.ts'

const homeRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app',
  beforeLoad: () => {
    throw redirect({ to: '/app/agents', search: {} })
  },
})

const agentsRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app/agents',
  validateSearch: agentSearch,
  component: lazyRouteComponent(() => import('./agents.tsx'), 'Agents'),
})

const agentRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app/agents/$slug',
  component: lazyRouteComponent(() => import('./agent.tsx'), 'AgentPage'),
})

const hireRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/agents/$slug/hire',
  validateSearch: ({ step }: Record<string, unknown>): { step?: 'review' } =>
    step === 'review' ? { step } : {},
  component: lazyRouteComponent(() => import('./hire/hire.tsx'), 'HirePage'),
})

export const marketRoutes = [homeRoute, agentsRoute, agentRoute] as const
/** Pages of the market that need an account. */
export const hireRoutes = [hireRoute] as const
