import { Type } from '#platform/http/type'
import { commandInSteps, query, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { ApprovalRecord, ApprovalStatusName } from '../schema.ts'
import { approvalsOf, decideApproval } from './approval.ts'

const common = { tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
const DecisionBody = Type.Object({
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      examples: ['Checked with the customer'],
      description: 'Why, for the audit log',
    }),
  ),
  totpCode: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'Code of the second factor, if there is no independent admin',
    }),
  ),
})

/** Requests that wait for another admin, and the decision. */
export function approvalRoutes(app: App, services: Services): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/admin/approvals',
    id: 'listApprovals',
    summary: 'List approvals',
    query: Type.Object({
      status: Type.Optional({ ...ApprovalStatusName, description: 'Only approvals in this state' }),
      ...PageQuery,
    }),
    success: [200, PageOf(ApprovalRecord)],
    run: (q, _, { query: { status, ...rest } }) => approvalsOf(q, status, pageOf(rest)),
  })
  for (const event of ['approve', 'reject'] as const) {
    commandInSteps(app, {
      ...common,
      method: 'POST',
      url: `/admin/approvals/{id}/${event}`,
      id: `${event}Approval`,
      summary:
        event === 'approve' ? 'Approve a request of another admin' : 'Reject a request of another admin',
      description:
        'For another admin, who had the role before the request was made. If one of two admins appointed the other alone in the last ' +
        'seven days, neither can approve for the other. If there is no independent admin, the requester can decide with a TOTP code, 24 ' +
        'hours after the request and after the last suspension or demotion of another admin. Approving requires a sign-in or `POST /auth/step-up` within the last 5 minutes. 409 if it is decided or expired.',
      params: Type.Object({ id: Id }),
      body: DecisionBody,
      example: { reason: 'Checked with the customer' },
      success: [200, ApprovalRecord],
      errors: [409],
      run: (_, ctx, { params, body }) => decideApproval(services, ctx, { ...params, ...body, event }),
    })
  }
}
