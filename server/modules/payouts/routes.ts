import { Type } from '#platform/http/type'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { payoutStatus, setUpPayouts } from './account/account.ts'
import { payAgentOwner } from './agent-to-user.ts'
import { allPayouts, payoutHistory } from './payout/history.ts'
import { requestPayout } from './payout/request.ts'
import { cancelPayout } from './payout/review.ts'
import {
  AdminPayoutRecord,
  AgentNamed,
  AgentToUser,
  OrganizationNamed,
  PaidOwner,
  PayoutAccountStatus,
  PayoutFilter,
  PayoutRecord,
  PayoutSetup,
  RequestBody,
  SetupBody,
} from './schema.ts'

const common = { tag: 'Payouts', access: { accept: ['jwt'] } } as const
const setup = { ...common, method: 'POST', errors: [409, 503], success: [201, PayoutSetup] } as const
const status = { ...common, method: 'GET', success: [200, PayoutAccountStatus] } as const
const request = {
  ...common,
  method: 'POST',
  idempotent: true,
  errors: [404],
  success: [201, PayoutRecord],
} as const
const history = {
  ...common,
  method: 'GET',
  query: Type.Object(PageQuery),
  success: [200, PageOf(PayoutRecord)],
} as const
const AgentPath = Type.Object(AgentNamed)
const OrganizationPath = Type.Object({ slug: Type.String({ maxLength: 200 }) })

export function payoutRoutes(app: App, services: Services): void {
  userRoutes(app, services)
  agentRoutes(app, services)
  organizationRoutes(app, services)
  query(app, {
    method: 'GET',
    url: '/admin/payouts',
    id: 'listPayouts',
    tag: 'Admin',
    summary: 'List payouts',
    description: 'Of all owners, newest first. A payout in REVIEW is decided by its approval.',
    access: { accept: ['jwt'], role: 'ADMIN' },
    query: PayoutFilter,
    success: [200, PageOf(AdminPayoutRecord)],
    run: (q, _, { query: { status, ...page } }) => allPayouts(q, status, pageOf(page)),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/payouts/agent-to-user',
    id: 'payAgentOwner',
    summary: "Move an agent's money to its owner's wallet",
    access: { accept: ['jwt'], human: true },
    body: AgentToUser,
    idempotent: true,
    errors: [404],
    success: [201, PaidOwner],
    run: (tx, ctx, { body }) => payAgentOwner(tx, ctx, body),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/payouts/{id}/cancel',
    id: 'cancelPayout',
    summary: 'Cancel a payout that is not sent',
    params: Type.Object({ id: Id }),
    idempotent: true,
    success: [200, PayoutRecord],
    run: (tx, ctx, { params }) => cancelPayout(tx, services, ctx, params.id),
  })
}

function userRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...setup,
    url: '/payouts/user/setup',
    id: 'setUpUserPayouts',
    summary: 'Connect a bank account for your payouts',
    body: Type.Object(SetupBody),
    run: (_, ctx, { body }) => setUpPayouts(services, ctx, body),
  })
  query(app, {
    ...status,
    url: '/payouts/user/account-status',
    id: 'getUserPayoutStatus',
    summary: 'Get the state of your payout account',
    run: (q, ctx) => payoutStatus(q, ctx, {}),
  })
  command(app, {
    ...request,
    url: '/payouts/user/request',
    id: 'requestUserPayout',
    summary: 'Pay out money from your wallet',
    body: Type.Object(RequestBody),
    run: (tx, ctx, { body }) => requestPayout(tx, services, ctx, body),
  })
  query(app, {
    ...history,
    url: '/payouts/user/history',
    id: 'listUserPayouts',
    summary: 'List your payouts',
    run: (q, ctx, { query: page }) => payoutHistory(q, ctx, {}, pageOf(page)),
  })
}

function agentRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...setup,
    url: '/payouts/setup',
    id: 'setUpAgentPayouts',
    summary: 'Connect a bank account for the payouts of an agent',
    errors: [404, 409, 503],
    body: Type.Object({ ...AgentNamed, ...SetupBody }),
    run: (_, ctx, { body }) => setUpPayouts(services, ctx, body),
  })
  query(app, {
    ...status,
    url: '/payouts/account-status/{agentId}',
    id: 'getAgentPayoutStatus',
    summary: "Get the state of an agent's payout account",
    params: AgentPath,
    run: (q, ctx, { params }) => payoutStatus(q, ctx, params),
  })
  command(app, {
    ...request,
    url: '/payouts/request',
    id: 'requestAgentPayout',
    summary: 'Pay out money from the wallet of an agent',
    body: Type.Object({ ...AgentNamed, ...RequestBody }),
    run: (tx, ctx, { body }) => requestPayout(tx, services, ctx, body),
  })
  query(app, {
    ...history,
    url: '/payouts/history/{agentId}',
    id: 'listAgentPayouts',
    summary: 'List the payouts of an agent',
    params: AgentPath,
    run: (q, ctx, { params, query: page }) => payoutHistory(q, ctx, params, pageOf(page)),
  })
}

function organizationRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...setup,
    url: '/payouts/org/setup',
    id: 'setUpOrganizationPayouts',
    summary: 'Connect a bank account for the payouts of an organization',
    errors: [404, 409, 503],
    body: Type.Object({ ...OrganizationNamed, ...SetupBody }),
    run: (_, ctx, { body: { organizationSlug: slug, ...body } }) =>
      setUpPayouts(services, ctx, { ...body, slug }),
  })
  query(app, {
    ...status,
    url: '/payouts/org/account-status/{slug}',
    id: 'getOrganizationPayoutStatus',
    summary: "Get the state of an organization's payout account",
    params: OrganizationPath,
    run: (q, ctx, { params }) => payoutStatus(q, ctx, params),
  })
  command(app, {
    ...request,
    url: '/payouts/org/request',
    id: 'requestOrganizationPayout',
    summary: 'Pay out money from the wallet of an organization',
    body: Type.Object({ ...OrganizationNamed, ...RequestBody }),
    run: (tx, ctx, { body: { organizationSlug: slug, ...body } }) =>
      requestPayout(tx, services, ctx, { ...body, slug }),
  })
  query(app, {
    ...history,
    url: '/payouts/org/history/{slug}',
    id: 'listOrganizationPayouts',
    summary: 'List the payouts of an organization',
    params: OrganizationPath,
    run: (q, ctx, { params, query: page }) => payoutHistory(q, ctx, params, pageOf(page)),
  })
}
