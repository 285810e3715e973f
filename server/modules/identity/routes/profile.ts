import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { changePassword, updateProfile } from '../profile.ts'
import { passwordWarnings } from '../password-rules.ts'
import { DisplayName, Email, NewPassword, Password, Profile, RevokeApiKeys, profile, Warnings } from '../schema.ts'
import { originOf, ownSessions, revokeSession } from '../session.ts'
import { accountById } from '../sql/accounts.ts'

/** The caller's own account: name, password, sessions. */
export function profileRoutes(app: App, services: Services): void {
  const { db, config } = services
  const tag = 'Account'
  route(app, {
    method: 'GET',
    url: '/users/me',
    id: 'getOwnAccount',
    tag,
    summary: 'Get your account',
    auth: 'jwt',
    reply: { 200: Profile },
    handle: async ({ actor }) => profile(await db.one(accountById(actor.accountId))),
  })
  route(app, {
    method: 'PATCH',
    url: '/users/me',
    id: 'updateOwnAccount',
    tag,
    summary: 'Update your name or email address',
    auth: 'jwt',
    errors: [409],
    description: 'A new email address takes effect when the link in the email to it is used; until then it is `pendingEmail`, '
      + 'and the present address is notified. Changing it requires a sign-in or `POST /auth/step-up` within the last 5 '
      + 'minutes.',
    body: Type.Object({ displayName: Type.Optional(DisplayName), email: Type.Optional(Email) }),
    reply: { 200: Type.Object({ ...Profile.properties, pendingEmail: Type.Optional(Email) }) },
    handle: async ({ actor, body, request }) => {
      const { account, ...rest } = await updateProfile(services, actor, body, originOf(request))
      return { ...profile(account), ...rest }
    },
  })
  route(app, {
    method: 'POST',
    url: '/auth/change-password',
    id: 'changePassword',
    tag,
    summary: 'Change your password',
    description: 'All other sessions and emailed links end. If the second factor is enabled, it requires a sign-in or `POST '
      + '/auth/step-up` within the last 5 minutes.',
    auth: 'jwt',
    body: Type.Object({ currentPassword: Password, newPassword: NewPassword, revokeApiKeys: RevokeApiKeys }),
    reply: { 200: Type.Object({ ok: Type.Literal(true), warnings: Warnings }) },
    handle: async ({ actor, body, request }) => {
      const { email, displayName, username } = await db.one(accountById(actor.accountId))
      const about = [email, displayName, username]
      const warnings = passwordWarnings(body.newPassword, config, { field: 'newPassword', about })
      await changePassword(services, actor, body, originOf(request))
      return { ok: true, ...(warnings.length ? { warnings } : {}) }
    },
  })
  sessionRoutes(app, services)
}

const SessionRecord = named('Session', Type.Object({
  id: Id,
  method: Type.String({ description: 'How it began', examples: ['password'] }),
  ip: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  createdAt: Moment,
  lastUsedAt: Moment,
  current: Type.Boolean(),
}))

function sessionRoutes(app: App, { db, clock }: Services): void {
  const tag = 'Account'
  route(app, {
    method: 'GET',
    url: '/auth/sessions',
    id: 'listOwnSessions',
    tag,
    summary: 'List your sessions',
    auth: 'jwt',
    query: Type.Object(PageQuery),
    reply: { 200: PageOf(SessionRecord) },
    handle: async ({ actor, query }) => {
      const page = pageOf(query)
      const { sessions, counted } = await ownSessions(db, actor, page, clock.real())
      const items = sessions.map(({ createdAt, lastUsedAt, ...rest }) => ({
        ...rest,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt.toISOString(),
        current: rest.id === actor.sessionId,
      }))
      return pageAnswer(items, counted, page)
    },
  })
  route(app, {
    method: 'DELETE',
    url: '/auth/sessions/{id}',
    id: 'revokeOwnSession',
    tag,
    summary: 'Revoke one of your sessions',
    auth: 'jwt',
    params: Type.Object({ id: Id }),
    reply: { 204: Type.Null() },
    handle: async ({ actor, params, request }) => {
      await db.transaction(tx => revokeSession(tx, actor, params.id, originOf(request)))
    },
  })
}
