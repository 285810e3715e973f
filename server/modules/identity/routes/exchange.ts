import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { Email } from '../schema.ts'
import { demandInternalSecret, exchangeSession } from '../session-exchange.ts'
import { originOf } from '../session.ts'
import { SignInAnswer, signInAnswer } from '../sign-in.ts'

const ExchangeBody = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 100, examples: ['github'] })),
  subject: Type.Optional(Type.String({ maxLength: 255, description: "The provider's lasting name for the person" })),
  email: Type.Optional(Email),
  emailVerified: Type.Optional(
    Type.Boolean({
      description: 'Whether the provider itself proved the address; only then it finds an existing account',
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 200 })),
})

/** For the web front end, which knows who signed in to it. */
export function exchangeRoutes(app: App, services: Services): void {
  void app.register(async own => {
    // Before the body is read: who has no secret is told nothing else.
    own.addHook('onRequest', async ({ headers }) => demandInternalSecret(services.config, headers['x-internal-secret']))
    exchangeRoute(own, services)
  })
}

function exchangeRoute(app: App, services: Services): void {
  route(app, {
    method: 'POST',
    url: '/auth/session/exchange',
    id: 'exchangeSession',
    tag: 'Authentication',
    auth: 'secret',
    body: ExchangeBody,
    reply: { 201: SignInAnswer },
    summary: 'Exchange a front-end session for tokens',
    description: 'For the web front end of the operator, which has signed the person in. Creates the account at the first '
      + 'sign-in. `emailVerified` links an existing account with the same address.',
    handle: async ({ body, request }) =>
      signInAnswer(
        await exchangeSession(services, { identity: body, origin: originOf(request) }),
      ),
  })
}
