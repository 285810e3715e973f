import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { publicRoute } from '../../app/root.tsx'

const homeRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app',
  beforeLoad: () => {
    throw redirect({ to: '/app/agents', search: {} })
  },
})

export interface AgentSearch {
  search?: string
  offset?: number
}

const agentsRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app/agents',
  validateSearch: ({ search, offset }: Record<string, unknown>): AgentSearch => ({
    ...(typeof search === 'string' && search ? { search } : {}),
    ...(typeof offset === 'number' && offset > 0 ? { offset } : {}),
  }),
  component: lazyRouteComponent(() => import('./agents.tsx'), 'Agents'),
})

const agentRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/app/agents/$slug',
  component: lazyRouteComponent(() => import('./agent.tsx'), 'AgentPage'),
})

export const marketRoutes = [homeRoute, agentsRoute, agentRoute] as const
