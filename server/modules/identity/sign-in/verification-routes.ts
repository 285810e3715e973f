import { Type } from '#platform/http/type'
import { command, commandInSteps, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { requestMail } from '../mail/mail-request.ts'
import {
  Email,
  NewPassword,
  NextPage,
  Ok,
  OK,
  Password,
  RevokeApiKeys,
  Secret,
  SessionAnswer,
  Warnings,
} from '../schema.ts'
import { resetPassword } from './password-reset.ts'
import { MfaRequiredResponse, sessionBody, signInBody, signInResponse } from './response.ts'
import { verifyEmail } from './verify-email.ts'

const Verified = Type.Union([
  Type.Object({
    ...Ok.properties,
    requiresSignIn: Type.Literal(true, {
      description: 'Always true: the address is verified, sign in with the password',
    }),
  }),
  Type.Object({ ...Ok.properties, ...SessionAnswer.properties }),
])
const Reset = Type.Union([
  Type.Object({ ...Ok.properties, ...SessionAnswer.properties, warnings: Warnings }),
  Type.Object({ ...Ok.properties, ...MfaRequiredResponse.properties, warnings: Warnings }),
])
const same =
  'The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.'

const common = { method: 'POST', tag: 'Authentication' } as const

/** Confirming an address. */
export function verificationRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    url: '/auth/verify-email',
    id: 'verifyEmail',
    summary: 'Confirm an email address',
    description:
      'With an access token of the same account the response contains fresh tokens for its session. Without it and without ' +
      'the password the address is confirmed, but a later sign-in by mail or by a provider still revokes the ' +
      'credentials of the registrant.',
    access: { optional: ['jwt'] },
    errors: [401, 403, 409],
    body: Type.Object({
      token: { ...Secret, description: 'Token of the link in the email' },
      password: Type.Optional({
        ...Password,
        description: 'Password of the account: proves that you created it',
      }),
      createdByMe: Type.Optional(
        Type.Boolean({
          description: 'False: you did not create this account; its password, sessions and keys are revoked',
        }),
      ),
    }),
    success: [200, Verified],
    run: async (_, ctx, { body }) => {
      const result = await verifyEmail(services, ctx, body)
      return result ? { ...OK, ...sessionBody(result) } : { ...OK, requiresSignIn: true as const }
    },
  })
  command(app, {
    ...common,
    url: '/auth/resend-verification',
    id: 'resendVerification',
    summary: 'Resend the confirmation email',
    description: `By address, or for the signed-in account without a body. ${same}`,
    access: { optional: ['jwt'] },
    body: Type.Object({
      email: Type.Optional({
        ...Email,
        description: 'Address of the account; without it the signed-in account',
      }),
    }),
    success: [200, Ok],
    run: async (tx, { principal, ip }, { body: { email } }) => {
      if (email !== undefined) await requestMail(tx, services, { kind: 'verify', email, ip })
      else if (principal.via === 'session')
        await requestMail(tx, services, { kind: 'verify', accountId: principal.accountId, ip })
      return OK
    },
  })
}

/** Setting a new password by an emailed link. */
export function passwordResetRoutes(app: App, services: Services): void {
  command(app, {
    ...common,
    url: '/auth/forgot-password',
    id: 'forgotPassword',
    summary: 'Request a password reset email',
    description: same,
    access: 'public',
    body: Type.Object({ email: Email, next: NextPage }),
    success: [200, Ok],
    run: async (tx, { ip }, { body: { email, next } }) => {
      await requestMail(tx, services, { kind: 'reset', email, ip, next })
      return OK
    },
  })
  commandInSteps(app, {
    ...common,
    url: '/auth/reset-password',
    id: 'resetPassword',
    summary: 'Set a new password with the emailed token',
    description:
      'Takes the token of the email. All other sessions end, and the response signs you in. The link also proves the ' +
      'address: if nobody had confirmed it, keys are revoked too, unless you send the access token of that account. If a ' +
      'second factor is enabled and nobody had confirmed the address, the password changes with the code of the factor.',
    access: { optional: ['jwt'] },
    responseHeaders: ['Set-Cookie'],
    errors: [403],
    body: Type.Object({
      token: { ...Secret, description: 'Token of the link in the email' },
      newPassword: NewPassword,
      revokeApiKeys: RevokeApiKeys,
    }),
    success: [200, Reset],
    run: async (_, ctx, { body, http }) => {
      const { result, warnings } = await resetPassword(services, ctx, body)
      const extra = warnings.length ? { warnings } : {}
      return signInResponse(services, http, result, { ...OK, ...signInBody(result), ...extra })
    },
  })
}
