import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { accountById } from '../account.ts'
import { linkOwner } from '../link.ts'
import { keepDevice } from '../login.ts'
import { requestMail } from '../mail-request.ts'
import { passwordWarnings } from '../password-rules.ts'
import { resetPassword } from '../password-reset.ts'
import { Email, NewPassword, Password, RevokeApiKeys, Secret, SessionAnswer, Warnings } from '../schema.ts'
import { originOf } from '../session.ts'
import { MfaAnswer, signInAnswer } from '../sign-in.ts'
import { verifyEmail } from '../verify-email.ts'

const Ok = Type.Object({ ok: Type.Literal(true) })
const Verified = Type.Union([
  Type.Object({ ok: Type.Literal(true), requiresSignIn: Type.Literal(true) }),
  Type.Object({ ok: Type.Literal(true), ...SessionAnswer.properties }),
])
const Reset = Type.Union([
  Type.Object({ ok: Type.Literal(true), ...SessionAnswer.properties, warnings: Warnings }),
  Type.Object({ ok: Type.Literal(true), ...MfaAnswer.properties, warnings: Warnings }),
])
const same = 'The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.'

/** Confirming an address. */
export function verificationRoutes(app: App, services: Services): void {
  const { db } = services
  const common = { method: 'POST' as const, tag: 'Authentication', auth: 'none' as const }
  route(app, {
    ...common,
    url: '/auth/verify-email',
    id: 'verifyEmail',
    summary: 'Confirm an email address',
    optionalAuth: 'jwt',
    errors: [401, 403, 409],
    body: Type.Object({
      token: Secret,
      password: Type.Optional({ ...Password, description: 'Of the account: shows that you made it' }),
      createdByMe: Type.Optional(
        Type.Boolean({ description: 'False: you did not make this account; its password, sign-ins and keys end' }),
      ),
    }),
    reply: { 200: Verified },
    description:
      'With an access token of the same account the answer carries fresh tokens of its session. Without it and without ' +
      'the password the address is confirmed, but a later sign-in by mail or by a provider still ends what the account ' +
      'was opened with.',
    handle: async ({ actor, body, request }) => {
      const result = await verifyEmail(services, { ...body, actor, origin: originOf(request) })
      return { ok: true, ...(result ? signInAnswer(result) : { requiresSignIn: true }) }
    },
  })
  route(app, {
    ...common,
    url: '/auth/resend-verification',
    id: 'resendVerification',
    summary: 'Resend the confirmation email',
    optionalAuth: 'jwt',
    body: Type.Object({ email: Type.Optional(Email) }),
    reply: { 200: Ok },
    description: `By address, or for the signed-in account without a body. ${same}`,
    handle: async ({ actor, body: { email }, request: { ip } }) => {
      const accountId = actor?.kind === 'jwt' ? actor.accountId : undefined
      const whose = email === undefined ? accountId && { accountId } : { email }
      if (whose) await db.transaction(tx => requestMail(services, tx, { kind: 'verify', ...whose, ip }))
      return { ok: true }
    },
  })
}

/** A new password for a forgotten one. */
export function passwordResetRoutes(app: App, services: Services): void {
  const { db, config, clock } = services
  const common = { method: 'POST' as const, tag: 'Authentication', auth: 'none' as const }
  route(app, {
    ...common,
    url: '/auth/forgot-password',
    id: 'forgotPassword',
    summary: 'Request a password reset email',
    description: same,
    body: Type.Object({ email: Email }),
    reply: { 200: Ok },
    handle: async ({ body: { email }, request: { ip } }) => {
      await db.transaction(tx => requestMail(services, tx, { kind: 'reset', email, ip }))
      return { ok: true }
    },
  })
  route(app, {
    ...common,
    url: '/auth/reset-password',
    id: 'resetPassword',
    summary: 'Set a new password with the emailed token',
    optionalAuth: 'jwt',
    responseHeaders: ['Set-Cookie'],
    errors: [403],
    body: Type.Object({ token: Secret, newPassword: NewPassword, revokeApiKeys: RevokeApiKeys }),
    reply: { 200: Reset },
    description: 'Takes the token of the email. All other sessions end, and the response signs you in. The link also proves the '
      + 'address: if nobody had confirmed it, keys end too, unless you send the access token of that account.',
    handle: async ({ actor, body, request, reply }) => {
      const holder = await accountById(db, (await linkOwner(db, 'reset', body.token, clock.real())) ?? '')
      const about = [holder?.email, holder?.displayName, holder?.username]
      const warnings = passwordWarnings(body.newPassword, config, { field: 'newPassword', about })
      const result = await resetPassword(services, { ...body, actor, origin: originOf(request) })
      if ('account' in result) keepDevice(request, reply, services, result.account.id)
      return { ok: true, ...signInAnswer(result), ...(warnings.length ? { warnings } : {}) }
    },
  })
}
