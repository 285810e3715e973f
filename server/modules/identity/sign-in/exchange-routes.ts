import { Type } from '#platform/http/type'
import { commandInSteps, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { Email } from '../schema.ts'
import { requireInternalSecret, exchangeSession } from './session-exchange.ts'
import { signInBody, SignInResponse } from './response.ts'

const ExchangeBody = Type.Object({
  provider: Type.Optional(
    Type.String({ maxLength: 100, examples: ['github'], description: 'Name of the identity provider' }),
  ),
  subject: Type.Optional(
    Type.String({ maxLength: 255, description: 'Permanent identifier of the person at the provider' }),
  ),
  email: Type.Optional({ ...Email, description: 'Address of the person at the provider' }),
  emailVerified: Type.Optional(
    Type.Boolean({
      description: 'Whether the provider verified the address; only then an existing account is linked',
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 200, description: 'Display name of a new account' })),
})

/** For the web front end of the operator, which identifies its users. */
export function exchangeRoutes(app: App, services: Services): void {
  void app.register(async own => {
    // Before the body is read: callers without the secret learn nothing else.
    own.addHook('onRequest', async ({ headers }) =>
      requireInternalSecret(services.config, headers['x-internal-secret']),
    )
    exchangeRoute(own, services)
  })
}

function exchangeRoute(app: App, services: Services): void {
  commandInSteps(app, {
    method: 'POST',
    url: '/auth/session/exchange',
    id: 'exchangeSession',
    tag: 'Authentication',
    access: { proof: 'secret' },
    body: ExchangeBody,
    success: [201, SignInResponse],
    summary: 'Exchange a front-end session for tokens',
    description:
      'For the web front end of the operator, which has signed the person in. Creates the account at the first ' +
      'sign-in. `emailVerified` links an existing account with the same address.',
    run: async (_, ctx, { body }) => signInBody(await exchangeSession(services, ctx, body)),
  })
}
