import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { approvalsOf, decideApproval } from '../approval.ts'
import { ApprovalRecord, ApprovalStatusName } from '../schema.ts'
import { originOf } from '../session.ts'

const tag = 'Admin'
const Decided = Type.Object({
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, examples: ['Checked with the customer'] })),
  totpCode: Type.Optional(Type.String({ maxLength: 20, description: 'Of an admin without another independent one, for an own request' })),
})

/** What waits for another admin, and the decision. */
export function approvalRoutes(app: App, services: Services): void {
  route(app, {
    method: 'GET',
    url: '/admin/approvals',
    id: 'listApprovals',
    tag,
    summary: 'List approvals',
    auth: 'admin',
    query: Type.Object({ status: Type.Optional(ApprovalStatusName), ...PageQuery }),
    reply: { 200: PageOf(ApprovalRecord) },
    handle: async ({ query: { status, ...rest } }) => approvalsOf(services.db, status, pageOf(rest)),
  })
  for (const event of ['approve', 'reject'] as const) {
    route(app, {
      method: 'POST',
      url: `/admin/approvals/{id}/${event}`,
      id: `${event}Approval`,
      tag,
      summary: event === 'approve' ? 'Approve a request of another admin' : 'Reject a request of another admin',
      description:
        'By another admin, who was one before the request was made. Of two admins one of whom made the other an admin alone in the last ' +
        'seven days, neither approves for the other. An admin without another independent one decides an own request after 24 hours with a TOTP code. ' +
        'Approving needs a sign-in or POST /auth/step-up within five minutes. 409 if it is decided or expired.',
      auth: 'admin',
      params: Type.Object({ id: Id }),
      body: Decided,
      example: { reason: 'Checked with the customer' },
      reply: { 200: ApprovalRecord },
      errors: [409],
      handle: async ({ actor, params, body, request }) =>
        decideApproval(services, actor, { ...body, event, id: params.id, origin: originOf(request) }),
    })
  }
}
