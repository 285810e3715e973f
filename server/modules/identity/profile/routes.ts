import { Type, type Static } from '#platform/http/type'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { Id, Moment, named, Nullable, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { ownSessions, revokeSession } from '../credentials/session.ts'
import {
  DisplayName,
  Email,
  NewPassword,
  Ok,
  OK,
  Password,
  Profile,
  profile,
  RevokeApiKeys,
  Warnings,
} from '../schema.ts'
import * as commands from './profile.ts'

const common = { tag: 'Account', access: { accept: ['jwt'] } } as const

const OwnAccount = named(
  'OwnAccount',
  Type.Object({
    ...Profile.properties,
    pendingEmail: Type.Optional({
      ...Email,
      description: 'The new address while its confirmation is awaited; absent otherwise',
    }),
  }),
)
const ownAccount = ({ account, ...rest }: commands.OwnAccount): Static<typeof OwnAccount> => ({
  ...profile(account),
  ...rest,
})

/** The account of the caller: name, email address, password, sessions. */
export function profileRoutes(app: App, services: Services): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/users/me',
    id: 'getOwnAccount',
    summary: 'Get your account',
    success: [200, OwnAccount],
    snapshot: true,
    run: async (q, { principal }) => ownAccount(await commands.readProfile(q, services, principal.accountId)),
  })
  commandInSteps(app, {
    ...common,
    method: 'PATCH',
    url: '/users/me',
    id: 'updateOwnAccount',
    summary: 'Update your name or email address',
    errors: [409],
    description:
      'A new email address takes effect when the link in the email to it is used; until then it is `pendingEmail`, ' +
      'and the current address is notified. Sending the current address withdraws the change. Changing it requires a ' +
      'sign-in or `POST /auth/step-up` within the last 5 minutes.',
    body: Type.Object({ displayName: Type.Optional(DisplayName), email: Type.Optional(Email) }),
    success: [200, OwnAccount],
    run: async (_, ctx, { body }) => ownAccount(await commands.updateProfile(services, ctx, body)),
  })
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/auth/change-password',
    id: 'changePassword',
    summary: 'Change your password',
    description:
      'All other sessions and emailed links end. If the second factor is enabled, it requires a sign-in or `POST ' +
      '/auth/step-up` within the last 5 minutes.',
    body: Type.Object({ currentPassword: Password, newPassword: NewPassword, revokeApiKeys: RevokeApiKeys }),
    success: [200, Type.Object({ ...Ok.properties, warnings: Warnings })],
    run: async (_, ctx, { body }) => {
      const warnings = await commands.changePassword(services, ctx, body)
      return { ...OK, ...(warnings.length ? { warnings } : {}) }
    },
  })
  sessionRoutes(app, services)
}

const SessionRecord = named(
  'Session',
  Type.Object({
    id: { ...Id, description: 'Id of the session (UUIDv7)' },
    method: Type.String({ description: 'How the session began', examples: ['password'] }),
    ip: Nullable(Type.String({ description: 'IP address that it was used from last; null if unknown' })),
    userAgent: Nullable(
      Type.String({ description: '`User-Agent` that it was used with last; null if unknown' }),
    ),
    createdAt: { ...Moment, description: 'When the session began' },
    lastUsedAt: { ...Moment, description: 'When its tokens were refreshed last, or the sign-in' },
    current: Type.Boolean({ description: 'Whether this request belongs to the session' }),
  }),
)

function sessionRoutes(app: App, { clock }: Services): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/auth/sessions',
    id: 'listOwnSessions',
    summary: 'List your sessions',
    query: Type.Object(PageQuery),
    success: [200, PageOf(SessionRecord)],
    run: (q, ctx, { query }) => ownSessions(q, ctx, pageOf(query), clock),
  })
  command(app, {
    ...common,
    method: 'DELETE',
    url: '/auth/sessions/{id}',
    id: 'revokeOwnSession',
    summary: 'Revoke one of your sessions',
    params: Type.Object({ id: Id }),
    success: 204,
    run: (tx, ctx, { params }) => revokeSession(tx, ctx, params.id),
  })
}
