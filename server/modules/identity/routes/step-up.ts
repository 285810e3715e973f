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
    description:
      'One of: the password, a six-digit code where the second factor is on, or an own sk_ key with every scope that ' +
      'is older than the session. A fresh sign-in counts as much.',
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
