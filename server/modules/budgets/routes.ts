import { Type } from '#platform/http/type'
import { Id, PageOf, pageOf, PageQuery } from '#platform/http/schema'
import { command, query, type App } from '#platform/http/operations'
import { changeBudget, listBudgets, readPolicy, replacePolicy } from './budget.ts'
import { BudgetBody, MemberBudgetRecord, OrganizationPolicy, PolicyBody } from './schema.ts'

const common = { tag: 'Organizations', access: { accept: ['jwt'] } } as const
const params = Type.Object({ slug: Type.String({ maxLength: 200 }) })

/** Policy of an organization and budgets of its members. */
export function budgetRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/organizations/{slug}/policy',
    id: 'getOrganizationPolicy',
    summary: 'Get the spending policy of an organization',
    params,
    snapshot: true,
    success: [200, OrganizationPolicy],
    run: (q, ctx, { params }) => readPolicy(q, ctx, params.slug),
  })
  command(app, {
    ...common,
    method: 'PUT',
    url: '/organizations/{slug}/policy',
    id: 'setOrganizationPolicy',
    summary: 'Replace the spending policy of an organization',
    params,
    body: PolicyBody,
    strictBody: true,
    example: { perTransactionLimit: 100, monthlyLimit: 1000 },
    success: [200, OrganizationPolicy],
    run: (tx, ctx, { params, body }) => replacePolicy(tx, ctx, { ...body, ...params }),
  })
  query(app, {
    ...common,
    method: 'GET',
    url: '/organizations/{slug}/budgets',
    id: 'listOrganizationBudgets',
    summary: 'List the budgets of the members',
    params,
    query: Type.Object(PageQuery),
    snapshot: true,
    success: [200, PageOf(MemberBudgetRecord)],
    run: (q, ctx, { params, query }) => listBudgets(q, ctx, params.slug, pageOf(query)),
  })
  command(app, {
    ...common,
    method: 'PUT',
    url: '/organizations/{slug}/budgets/{userId}',
    id: 'setOrganizationBudget',
    summary: 'Set the monthly budget of a member',
    params: Type.Object({ ...params.properties, userId: Id }),
    body: BudgetBody,
    strictBody: true,
    example: { monthlyLimit: 500 },
    success: [200, MemberBudgetRecord],
    run: (tx, ctx, { params, body }) => changeBudget(tx, ctx, { ...body, ...params }),
  })
}
