import { Type } from '#platform/http/type'
import { commandInSteps, type App } from '#platform/http/operations'
import { Moment } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { Ok, OK, Password, Secret } from '../schema.ts'
import { stepUp } from './step-up.ts'

/** Re-authentication before operations that a stolen session must not allow. */
export function stepUpRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    method: 'POST',
    url: '/auth/step-up',
    id: 'stepUp',
    tag: 'Authentication',
    summary: 'Re-authenticate for sensitive operations',
    access: { accept: ['jwt'] },
    description:
      'Send one of: the password, a six-digit code or a backup code if the second factor is enabled, or your own account key (`sk_`) ' +
      'with every scope and no spending limit that is older than the session. For the next 5 minutes sensitive operations are allowed; a ' +
      'fresh sign-in has the same effect.',
    body: Type.Object({
      password: Type.Optional({ ...Password, description: 'Password of the account' }),
      totpCode: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Code of the authenticator app, or a backup code',
        }),
      ),
      apiKey: Type.Optional({
        ...Secret,
        description:
          'Your own account key (`sk_`) with every scope and no spending limit, older than the session',
      }),
    }),
    example: { password: 'correct horse battery' },
    success: [
      200,
      Type.Object({
        ...Ok.properties,
        validUntil: { ...Moment, description: 'Until when operations that need a fresh proof are allowed' },
      }),
    ],
    run: async (_, ctx, { body }) => ({ ...OK, ...(await stepUp(services, ctx, body)) }),
  })
}
