import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { auditTrail, type AuditRecord } from '#platform/audit'
import { route, type App } from '#platform/http/route'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { reinstateAccount, setRole, suspendAccount } from '../admin.ts'
import { ApprovalRecord, Profile, profile, RoleName } from '../schema.ts'
import { originOf } from '../session.ts'

const tag = 'Admin'
const Path = Type.Object({ id: Id })
const Reason = Type.String({ minLength: 1, maxLength: 1000, examples: ['Chargebacks'] })

/** What admins do to accounts, and what they read of everybody's acts. */
export function adminRoutes(app: App, services: Services): void {
  const { db } = services
  const common = {
    method: 'POST' as const,
    tag,
    auth: 'admin' as const,
    params: Path,
    reply: { 200: Profile },
    errors: [409],
  }
  const actOf = (params: { id: string }, request: FastifyRequest) => ({
    accountId: params.id,
    origin: originOf(request),
  })
  route(app, {
    ...common,
    url: '/admin/users/{id}/role',
    id: 'setUserRole',
    summary: 'Change the role of an account',
    body: Type.Object({ role: RoleName }),
    description: 'Where another admin exists, a new admin waits for that one: the response has `approval` and the present role.',
    reply: { 200: Type.Object({ ...Profile.properties, approval: Type.Optional(ApprovalRecord) }) },
    handle: async ({ actor, params, body, request }) => {
      const act = { ...actOf(params, request), role: body.role }
      const { account, ...rest } = await db.transaction(tx => setRole(tx, services, actor, act))
      return { ...profile(account), ...rest }
    },
  })
  route(app, {
    ...common,
    url: '/admin/users/{id}/suspend',
    id: 'suspendUser',
    summary: 'Suspend an account',
    body: Type.Object({ reason: Reason }),
    handle: async ({ actor, params, body, request }) =>
      profile(
        await db.transaction(tx => suspendAccount(tx, actor, { ...actOf(params, request), reason: body.reason })),
      ),
  })
  route(app, {
    ...common,
    url: '/admin/users/{id}/reinstate',
    id: 'reinstateUser',
    summary: 'Reinstate a suspended account',
    body: Type.Object({ reason: Type.Optional(Reason) }),
    handle: async ({ actor, params, body, request }) =>
      profile(
        await db.transaction(tx => reinstateAccount(tx, actor, { ...actOf(params, request), reason: body.reason })),
      ),
  })
  auditRoute(app, services)
}

const AuditEvent = named('AuditEvent', Type.Object({
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
}))
const auditEvent = ({ at, ...rest }: AuditRecord) => ({ ...rest, at: at.toISOString() })
const Name = Type.Optional(Type.String({ maxLength: 200 }))

function auditRoute(app: App, { db }: Services): void {
  route(app, {
    method: 'GET',
    url: '/admin/audit',
    id: 'listAuditEvents',
    tag,
    summary: 'List audit events',
    auth: 'admin',
    query: Type.Object({
      action: Name,
      actorId: Name,
      targetId: Name,
      from: Type.Optional(Moment),
      to: Type.Optional(Moment),
      ...PageQuery,
    }),
    reply: { 200: PageOf(AuditEvent) },
    handle: async ({ query: { from, to, action, actorId, targetId, ...rest } }) => {
      const page = pageOf(rest)
      const filters = {
        action,
        actorId,
        targetId,
        from: from ? new Date(from) : undefined,
        to: to ? new Date(to) : undefined,
      }
      const { events, counted } = await auditTrail(db, filters, page)
      return pageAnswer(events.map(auditEvent), counted, page)
    },
  })
}
