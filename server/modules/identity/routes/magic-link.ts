import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { keepDevice } from '../login.ts'
import { consumeMagicLink } from '../magic-link.ts'
import { requestMail } from '../mail-request.ts'
import { Email, Secret } from '../schema.ts'
import { originOf } from '../session.ts'
import { SignInAnswer, signInAnswer } from '../sign-in.ts'

/** Signing in by a link in a mail. */
export function magicLinkRoutes(app: App, services: Services): void {
  const { db } = services
  const common = { method: 'POST' as const, tag: 'Authentication', auth: 'none' as const }
  route(app, {
    ...common,
    url: '/auth/magic-link/request',
    id: 'requestMagicLink',
    summary: 'Request a sign-in link by email',
    body: Type.Object({ email: Email }),
    description: 'The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.',
    reply: { 200: Type.Object({ ok: Type.Literal(true) }) },
    handle: async ({ body: { email }, request: { ip } }) => {
      await db.transaction(tx => requestMail(services, tx, { kind: 'magic', email, ip }))
      return { ok: true }
    },
  })
  route(app, {
    ...common,
    url: '/auth/magic-link/consume',
    id: 'consumeMagicLink',
    signIn: true,
    summary: 'Sign in with an emailed link',
    optionalAuth: 'jwt',
    responseHeaders: ['Set-Cookie'],
    errors: [403],
    body: Type.Object({ token: Secret }),
    reply: { 200: SignInAnswer },
    description: 'Takes the token of the email; it works once within 10 minutes. The link also proves the address: if nobody had '
      + 'confirmed it, the password, sessions and keys of the registrant end, unless you send the access token of that '
      + 'account.',
    handle: async ({ actor, body, request, reply }) => {
      const input = { ...body, actor, origin: originOf(request) }
      const result = await db.transaction(tx => consumeMagicLink(tx, services, input))
      if ('account' in result) keepDevice(request, reply, services, result.account.id)
      return signInAnswer(result)
    },
  })
}
