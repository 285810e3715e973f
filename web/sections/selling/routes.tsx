import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'
import { given, numberParam, oneOf, textParam } from '../../parts/search-params.ts'
import {
  DELIVERY_STATES,
  RANGES,
  RUN_STATES,
  type DeliverySearch,
  type EarningsSearch,
  type RunSearch,
} from './search.ts'

type Given = Record<string, unknown>

const offsetOnly = ({ offset }: Given): { offset?: number } =>
  given({ offset: numberParam(offset) || undefined })
const runSearch = ({ status, offset }: Given): RunSearch =>
  given({ status: oneOf(RUN_STATES, status), offset: numberParam(offset) || undefined })

const myAgents = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents',
  validateSearch: offsetOnly,
  component: lazyRouteComponent(() => import('./my-agents.tsx'), 'MyAgents'),
})
const files = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/files',
  validateSearch: offsetOnly,
  component: lazyRouteComponent(() => import('./files.tsx'), 'Files'),
})
const newAgent = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/new',
  component: lazyRouteComponent(() => import('./form/new-agent.tsx'), 'NewAgent'),
})
const overview = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id',
  component: lazyRouteComponent(() => import('./agent/overview.tsx'), 'Overview'),
})
const edit = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/edit',
  component: lazyRouteComponent(() => import('./form/edit-agent.tsx'), 'EditAgent'),
})
const keys = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/keys',
  component: lazyRouteComponent(() => import('./agent/keys.tsx'), 'Keys'),
})
const rules = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/rules',
  component: lazyRouteComponent(() => import('./agent/rules.tsx'), 'Rules'),
})
const inbox = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/inbox',
  validateSearch: offsetOnly,
  component: lazyRouteComponent(() => import('./inbox/inbox.tsx'), 'Inbox'),
})
const runs = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/runs',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./runs/agent-runs.tsx'), 'AgentRuns'),
})
const payments = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/payments',
  validateSearch: offsetOnly,
  component: lazyRouteComponent(() => import('./money/payments.tsx'), 'Payments'),
})
const webhook = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/webhook',
  validateSearch: ({ status, offset }: Given): DeliverySearch =>
    given({ status: oneOf(DELIVERY_STATES, status), offset: numberParam(offset) || undefined }),
  component: lazyRouteComponent(() => import('./webhook/webhook.tsx'), 'Webhook'),
})
const certification = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/certification',
  component: lazyRouteComponent(() => import('./trust/certification.tsx'), 'Certification'),
})
const trust = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/trust',
  component: lazyRouteComponent(() => import('./trust/trust.tsx'), 'Trust'),
})
const reviews = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/agents/$id/reviews',
  validateSearch: offsetOnly,
  component: lazyRouteComponent(() => import('./trust/reviews.tsx'), 'AgentReviews'),
})
const boughtRuns = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/runs',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./runs/bought-runs.tsx'), 'BoughtRuns'),
})
const boughtRun = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/runs/$id',
  component: lazyRouteComponent(() => import('./runs/bought-run.tsx'), 'BoughtRun'),
})
const earnings = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/earnings',
  validateSearch: ({ agent, range }: Given): EarningsSearch =>
    given({ agent: textParam(agent), range: oneOf(RANGES, range) }),
  component: lazyRouteComponent(() => import('./money/earnings.tsx'), 'Earnings'),
})
const payouts = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/selling/payouts',
  validateSearch: ({ agent, organization, offset }: Given): PayoutSearch =>
    given({
      agent: textParam(agent),
      organization: textParam(organization),
      offset: numberParam(offset) || undefined,
    }),
  component: lazyRouteComponent(() => import('./money/payouts.tsx'), 'Payouts'),
})

interface PayoutSearch {
  agent?: string
  organization?: string
  offset?: number
}

export const sellingRoutes = [
  myAgents,
  newAgent,
  overview,
  edit,
  keys,
  rules,
  inbox,
  runs,
  payments,
  webhook,
  certification,
  trust,
  reviews,
  boughtRuns,
  boughtRun,
  earnings,
  payouts,
  files,
] as const
