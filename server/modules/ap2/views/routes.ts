import { query, type App } from '#platform/http/operations'
import { PageOf, pageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { IdPath, Paging } from '../deal/schema.ts'
import { dealsWithAgents, paymentsOf, purchasesOf } from './agent-deals.ts'
import { networkOf } from './network.ts'
import { AgentNetwork, AgentPayment, AgentTransaction, Purchase, PurchaseQuery, RoleQuery } from './schema.ts'

/** Deals and payments as the owner of an agent, and the public, see them. */
export function agentDealRoutes(app: App, { config }: Services): void {
  const read = {
    method: 'GET',
    tag: 'Agents',
    access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
    snapshot: true,
  } as const
  query(app, {
    ...read,
    url: '/agents/my-purchases',
    id: 'listMyPurchases',
    summary: 'List what you bought',
    query: PurchaseQuery,
    success: [200, PageOf(Purchase)],
    run: (q, ctx, { query }) => purchasesOf(q, ctx, query, pageOf(query)),
  })
  query(app, {
    ...read,
    url: '/agents/{id}/payment-history',
    id: 'listAgentPayments',
    summary: 'List what an agent received and spent',
    params: IdPath,
    query: Paging,
    success: [200, PageOf(AgentPayment)],
    run: (q, ctx, { params, query }) => paymentsOf(q, ctx, params.id, pageOf(query)),
  })
  query(app, {
    ...read,
    url: '/agents/{id}/a2a-transactions',
    id: 'listAgentTransactions',
    summary: 'List the deals of an agent with other agents',
    params: IdPath,
    query: RoleQuery,
    success: [200, PageOf(AgentTransaction)],
    run: (q, ctx, { params, query }) =>
      dealsWithAgents(q, ctx, { id: params.id, role: query.role }, pageOf(query)),
  })
  query(app, {
    ...read,
    url: '/agents/{id}/network',
    id: 'getAgentNetwork',
    summary: 'Get the agents that an agent has traded with',
    access: { optional: ['jwt', 'sk', 'sa'] },
    params: IdPath,
    success: [200, AgentNetwork],
    errors: [403],
    run: (q, ctx, { params }) => networkOf(q, ctx, params.id, config.sandbox),
  })
}
