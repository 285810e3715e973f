import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { requestMail } from '../mail/mail-request.ts'
import { Email, NextPage, Ok, OK, Secret } from '../schema.ts'
import { consumeMagicLink } from './magic-link.ts'
import { signInBody, SignInResponse, signInResponse } from './response.ts'

/** Signing in by a link in a mail. */
export function magicLinkRoutes(app: App, services: Services): void {
  command(app, {
    method: 'POST',
    url: '/auth/magic-link/request',
    id: 'requestMagicLink',
    tag: 'Authentication',
    summary: 'Request a sign-in link by email',
    description:
      'The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.',
    access: 'public',
    body: Type.Object({ email: Email, next: NextPage }),
    success: [200, Ok],
    run: async (tx, { ip }, { body: { email, next } }) => {
      await requestMail(tx, services, { kind: 'magic', email, ip, next })
      return OK
    },
  })
  command(app, {
    method: 'POST',
    url: '/auth/magic-link/consume',
    id: 'consumeMagicLink',
    signIn: true,
    tag: 'Authentication',
    summary: 'Sign in with an emailed link',
    description:
      'Takes the token of the email; it works once within 10 minutes. The link also proves the address: if nobody had ' +
      'confirmed it, the password, sessions and keys of the registrant are revoked, unless you send the access token of that ' +
      'account.',
    access: { optional: ['jwt'] },
    responseHeaders: ['Set-Cookie'],
    errors: [403],
    body: Type.Object({ token: { ...Secret, description: 'Token of the link in the email' } }),
    success: [200, SignInResponse],
    run: async (tx, ctx, { body, http }) => {
      const result = await consumeMagicLink(tx, ctx, body.token, services)
      return signInResponse(services, http, result, signInBody(result))
    },
  })
}
