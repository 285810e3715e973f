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
      parameters: Type.Object(
        {
          algorithm: Type.String({ examples: ['PBKDF2/SHA-256'], description: 'Key derivation function' }),
          cost: Type.Integer({ minimum: 1, description: 'Iterations of that function' }),
          nonce: Type.String({ description: 'Random value of this challenge, in hexadecimal' }),
          salt: Type.String({ description: 'Salt of the function, in hexadecimal' }),
          keyLength: Type.Integer({ minimum: 1, description: 'Length of the derived key in bytes' }),
          keyPrefix: Type.String({
            pattern: '^[0-9a-f]*$',
            description: 'Beginning of the derived key that the solution must have, in hexadecimal',
          }),
          keySignature: Type.Optional(Type.String({ description: 'Signature of the expected key' })),
          expiresAt: Type.Integer({
            description: 'When the challenge expires, in seconds since 1970',
            minimum: 0,
          }),
        },
        { description: 'What the client solves' },
      ),
      signature: Type.String({
        description: 'Signature of the service over `parameters`; send it back unchanged',
      }),
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
