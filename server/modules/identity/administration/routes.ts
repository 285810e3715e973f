import { Type, type Static } from '#platform/http/type'
import { auditTrail, type AuditRecord } from '#platform/kernel/audit'
import { command, query, type App } from '#platform/http/operations'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { ApprovalRecord, Profile, profile, RoleName } from '../schema.ts'
import { reinstateAccount, setRole, suspendAccount } from './admin.ts'

const common = { tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
const Reason = Type.String({ minLength: 1, maxLength: 1000, examples: ['Chargebacks'] })

/** Commands of admins on accounts, and the audit log. */
export function adminRoutes(app: App, services: Services): void {
  const change = { ...common, method: 'POST', params: Type.Object({ id: Id }) } as const
  command(app, {
    ...change,
    url: '/admin/users/{id}/role',
    id: 'setUserRole',
    summary: 'Change the role of an account',
    description:
      'Where another admin exists, a new admin waits for that one: the response has `approval` and the present role.',
    errors: [409],
    body: Type.Object({ role: RoleName }),
    success: [200, Type.Object({ ...Profile.properties, approval: Type.Optional(ApprovalRecord) })],
    run: async (tx, ctx, { params, body }) => {
      const { account, ...rest } = await setRole(tx, ctx, { accountId: params.id, ...body }, services)
      return { ...profile(account), ...rest }
    },
  })
  command(app, {
    ...change,
    url: '/admin/users/{id}/suspend',
    id: 'suspendUser',
    summary: 'Suspend an account',
    errors: [409],
    body: Type.Object({ reason: Reason }),
    success: [200, Profile],
    run: async (tx, ctx, { params, body }) =>
      profile(await suspendAccount(tx, ctx, { accountId: params.id, ...body })),
  })
  command(app, {
    ...change,
    url: '/admin/users/{id}/reinstate',
    id: 'reinstateUser',
    summary: 'Reinstate a suspended account',
    errors: [409],
    body: Type.Object({ reason: Type.Optional(Reason) }),
    success: [200, Profile],
    run: async (tx, ctx, { params, body }) =>
      profile(await reinstateAccount(tx, ctx, { accountId: params.id, ...body })),
  })
  auditRoute(app)
}

const AuditEvent = named(
  'AuditEvent',
  Type.Object({
    id: Id,
    at: Moment,
    action: Type.String(),
    actorKind: Type.String(),
    actorId: Nullable(Type.String()),
    target: Nullable(Type.String()),
    targetId: Nullable(Type.String()),
    requestId: Nullable(Type.String()),
    ip: Nullable(Type.String()),
    details: Type.Unknown(),
    hash: Type.String({ description: 'sha256 of the event, sealed in a chain' }),
  }),
)
const auditEvent = ({ at, ...rest }: AuditRecord): Static<typeof AuditEvent> => ({
  ...rest,
  at: at.toISOString(),
})
const Filter = Type.Optional(Type.String({ maxLength: 200 }))

function auditRoute(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/admin/audit',
    id: 'listAuditEvents',
    summary: 'List audit events',
    query: Type.Object({
      action: Filter,
      actorId: Filter,
      targetId: Filter,
      from: Type.Optional(Moment),
      to: Type.Optional(Moment),
      ...PageQuery,
    }),
    success: [200, PageOf(AuditEvent)],
    run: async (q, _, { query: { from, to, limit, offset, ...filters } }) => {
      const page = pageOf({ limit, offset })
      const period = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }
      const { events, counted } = await auditTrail(q, { ...filters, ...period }, page)
      return pageAnswer(events.map(auditEvent), counted, page)
    },
  })
}
