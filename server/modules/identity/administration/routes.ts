import { Type, type Static } from '#platform/http/type'
import { auditTrail, type AuditRecord } from '#platform/kernel/audit'
import { command, query, type App } from '#platform/http/operations'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { ApprovalRecord, Profile, profile, RoleName } from '../schema.ts'
import { reinstateAccount, setRole, suspendAccount } from './admin.ts'

const common = { tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
const Reason = Type.String({
  minLength: 1,
  maxLength: 1000,
  examples: ['Chargebacks'],
  description: 'Why, for the audit log',
})

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
    success: [
      200,
      Type.Object({
        ...Profile.properties,
        approval: Type.Optional({
          ...ApprovalRecord,
          description: 'Present if another admin has to approve the change, which is not made yet',
        }),
      }),
    ],
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
      profile(await suspendAccount(tx, ctx, { accountId: params.id, ...body }, services)),
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
    id: { ...Id, description: 'Id of the event (UUIDv7)' },
    at: { ...Moment, description: 'When it happened' },
    action: Type.String({ description: 'What happened, such as `agent.claimed`' }),
    actorKind: Type.String({
      description:
        'Credential that was used, such as `jwt` or `sk`; `system` for the service itself, `anonymous` without one',
    }),
    actorId: Nullable(Type.String({ description: 'Id of the account that did it; null without one' })),
    target: Nullable(Type.String({ description: 'Kind of the object that it is about; null without one' })),
    targetId: Nullable(Type.String({ description: 'Id of that object; null without one' })),
    requestId: Nullable(
      Type.String({ description: '`x-request-id` of the request; null if no request caused it' }),
    ),
    ip: Nullable(
      Type.String({
        description: 'Address that the request came from; null without one, or when it is erased',
      }),
    ),
    details: Type.Unknown({
      description: 'Further data, depending on the action; erased with the account that it is about',
    }),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the event in hexadecimal, sealed in a chain',
    }),
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
