import { Type } from '#platform/http/type'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { Id } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { Ok, OK, Secret, SessionAnswer } from '../schema.ts'
import { sessionBody, signInResponse } from '../sign-in/response.ts'
import { signInWithSecondFactor } from '../sign-in/sign-in.ts'
import { disableMfa, enableMfa, mfaStatus, resetMfa, setUpMfa } from './mfa.ts'

const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: ['123456'],
  description: 'Code of the authenticator app, or a backup code',
})
const Status = Type.Object({
  enabled: Type.Boolean({ description: 'Whether signing in needs a second factor' }),
  backupCodesRemaining: Type.Integer({
    minimum: 0,
    maximum: 10,
    description: 'Backup codes that were not used',
  }),
})
const SetUp = Type.Object({
  qrCodeDataUrl: Type.String({ description: 'QR code for an authenticator app: PNG as a data URL' }),
  manualEntryKey: Type.String({ description: 'The same key as text in base32' }),
})
const Enabled = Type.Object({
  backupCodes: Type.Array(Type.String(), { description: 'Ten codes, shown once, each works once' }),
})
const common = { tag: 'MFA', access: { accept: ['jwt'] } } as const

/** The second factor: TOTP (RFC 6238) with backup codes. */
export function mfaRoutes(app: App, services: Services): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/mfa/status',
    id: 'getMfaStatus',
    summary: 'Get the status of the second factor',
    success: [200, Status],
    run: mfaStatus,
  })
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/mfa/setup',
    id: 'setUpMfa',
    summary: 'Start setting up the second factor',
    errors: [409],
    success: [200, SetUp],
    run: (_, ctx) => setUpMfa(services, ctx),
  })
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/mfa/enable',
    id: 'enableMfa',
    summary: 'Enable the second factor',
    errors: [409],
    body: Type.Object({ token: Code }),
    success: [200, Enabled],
    run: (_, ctx, { body }) => enableMfa(services, ctx, body.token),
  })
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/mfa/disable',
    id: 'disableMfa',
    summary: 'Disable the second factor',
    description:
      'Takes a six-digit code, or a backup code within 5 minutes of a sign-in or `POST /auth/step-up`.',
    body: Type.Object({ token: Code }),
    success: [200, Ok],
    run: async (_, ctx, { body }) => {
      await disableMfa(services, ctx, body.token)
      return OK
    },
  })
  signInRoute(app, services)
  adminRoute(app, services)
}

function adminRoute(app: App, services: Services): void {
  command(app, {
    method: 'POST',
    url: '/admin/users/{id}/reset-mfa',
    id: 'resetUserMfa',
    tag: 'Admin',
    summary: 'Reset the second factor of an account',
    access: { accept: ['jwt'], role: 'ADMIN' },
    params: Type.Object({ id: Id }),
    success: [200, Ok],
    run: async (tx, ctx, { params }) => {
      await resetMfa(tx, ctx, params.id, services)
      return OK
    },
  })
}

function signInRoute(app: App, services: Services): void {
  commandInSteps(app, {
    method: 'POST',
    url: '/auth/login/mfa',
    id: 'loginMfa',
    signIn: true,
    tag: 'Authentication',
    summary: 'Complete a sign-in with the second factor',
    responseHeaders: ['Set-Cookie'],
    access: 'public',
    errors: [401, 403],
    body: Type.Object({
      mfaToken: { ...Secret, description: '`mfaToken` of the response to the sign-in' },
      totpCode: Code,
      useBackupCode: Type.Optional(Type.Boolean({ description: 'True: `totpCode` is a backup code' })),
    }),
    success: [200, SessionAnswer],
    run: async (_, ctx, { body, http }) => {
      const result = await signInWithSecondFactor(services, ctx, body)
      return signInResponse(services, http, result, sessionBody(result))
    },
  })
}
