import { Type } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { respond } from '#platform/http/response'
import { named } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { newChallenge } from './challenge.ts'

const Challenge = named(
  'RegistrationChallenge',
  Type.Object(
    {
      parameters: Type.Object({
        algorithm: Type.String({ examples: ['PBKDF2/SHA-256'] }),
        cost: Type.Integer(),
        nonce: Type.String(),
        salt: Type.String(),
        keyLength: Type.Integer(),
        keyPrefix: Type.String(),
        keySignature: Type.Optional(Type.String()),
        expiresAt: Type.Integer({ description: 'Unix seconds' }),
      }),
      signature: Type.String(),
    },
    { description: 'ALTCHA challenge (altcha-lib 2)' },
  ),
)

/** The proof of work for agents that register. */
export function challengeRoutes(app: App, services: Services): void {
  query(app, {
    method: 'GET',
    url: '/auth/register-agent/challenge',
    id: 'getRegistrationChallenge',
    tag: 'Authentication',
    access: 'public',
    errors: [404],
    databaseFree: true,
    summary: 'Get a proof-of-work challenge for registration',
    description:
      'Solve it with altcha-lib and send base64 of {"challenge", "solution"} as `challengeSolution` of the ' +
      'registration. A solution registers one account and is valid for 5 minutes. 404 if the operator requires no ' +
      'challenge.',
    success: [200, Challenge],
    run: async () => respond(await newChallenge(services), { headers: { 'cache-control': 'no-store' } }),
  })
}
