import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Moment } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { Password, Secret } from '../schema.ts'
import { originOf } from '../session.ts'
import { stepUp } from '../step-up.ts'

/** Proving oneself again before what a stolen session must not do. */
export function stepUpRoutes(app: App, services: Services): void {
  route(app, {
    method: 'POST',
    url: '/auth/step-up',
    id: 'stepUp',
    tag: 'Authentication',
    summary: 'Re-authenticate for sensitive operations',
    auth: 'jwt',
    description: 'Send one of: the password, a six-digit code if the second factor is enabled, or your own account key (`sk_`) '
      + 'with every scope that is older than the session. For the next 5 minutes sensitive operations are allowed; a '
      + 'fresh sign-in has the same effect.',
    body: Type.Object({
      password: Type.Optional(Password),
      totpCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      apiKey: Type.Optional(Secret),
    }),
    example: { password: 'correct horse battery' },
    reply: { 200: Type.Object({ ok: Type.Literal(true), validUntil: Moment }) },
    handle: async ({ actor, body, request }) => ({
      ok: true,
      ...(await stepUp(services, actor, body, originOf(request))),
    }),
  })
}
