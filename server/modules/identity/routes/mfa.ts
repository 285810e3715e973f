import { Type } from 'typebox'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { route, type App } from '#platform/http/route'
import { Id } from '#platform/http/schema'
import { isId } from '#platform/id'
import type { Services } from '#platform/services'
import { IDENTITY } from '../faults.ts'
import { endLinks } from '../link.ts'
import { keepDevice } from '../login.ts'
import { disableMfa, enableMfa, removeMfa, setUpMfa } from '../mfa.ts'
import { Secret, SessionAnswer } from '../schema.ts'
import { originOf, type Origin } from '../session.ts'
import { signInAnswer, signInWithSecondFactor } from '../sign-in.ts'
import { lockAccount } from '../sql/accounts.ts'
import { mfaStatus } from '../sql/mfa.ts'
import { demandStepUp } from '../step-up.ts'

const Code = Type.String({ minLength: 1, maxLength: 64, examples: ['123456'] })
const Ok = Type.Object({ ok: Type.Literal(true) })
const Status = Type.Object({ enabled: Type.Boolean(), backupCodesRemaining: Type.Integer() })

const SetUp = Type.Object({
  qrCodeDataUrl: Type.String({ description: 'PNG as a data URL' }),
  manualEntryKey: Type.String({ description: 'base32' }),
})
const Enabled = Type.Object({
  backupCodes: Type.Array(Type.String(), { description: 'Ten codes, shown once, each works once' }),
})

/** The second factor: TOTP (RFC 6238) with backup codes. */
export function mfaRoutes(app: App, services: Services): void {
  const { db } = services
  const common = { tag: 'MFA', auth: 'jwt' as const }
  route(app, {
    ...common,
    method: 'GET',
    url: '/mfa/status',
    id: 'getMfaStatus',
    summary: 'Get the status of the second factor',
    reply: { 200: Status },
    handle: async ({ actor }) => db.one(mfaStatus(actor.accountId)),
  })
  route(app, {
    ...common,
    method: 'POST',
    url: '/mfa/setup',
    id: 'setUpMfa',
    summary: 'Start setting up the second factor',
    errors: [409],
    reply: { 200: SetUp },
    handle: async ({ actor }) => setUpMfa(services, actor),
  })
  route(app, {
    ...common,
    method: 'POST',
    url: '/mfa/enable',
    id: 'enableMfa',
    summary: 'Enable the second factor',
    errors: [409],
    body: Type.Object({ token: Code }),
    reply: { 200: Enabled },
    handle: async ({ actor, body, request }) => ({
      backupCodes: await enableMfa(services, actor, body.token, originOf(request)),
    }),
  })
  route(app, {
    ...common,
    method: 'POST',
    url: '/mfa/disable',
    id: 'disableMfa',
    summary: 'Disable the second factor',
    body: Type.Object({ token: Code }),
    reply: { 200: Ok },
    description: 'Takes a six-digit code, or a backup code within 5 minutes of a sign-in or `POST /auth/step-up`.',
    handle: async ({ actor, body, request }) => {
      await disableMfa(services, actor, body.token, originOf(request))
      return { ok: true }
    },
  })
  signInRoute(app, services)
  adminRoute(app, services)
}

function adminRoute(app: App, services: Services): void {
  route(app, {
    method: 'POST',
    url: '/admin/users/{id}/reset-mfa',
    id: 'resetUserMfa',
    tag: 'Admin',
    summary: 'Reset the second factor of an account',
    auth: 'admin',
    params: Type.Object({ id: Id }),
    reply: { 200: Ok },
    handle: async ({ actor, params, request }) => {
      await resetMfa(services, actor, params.id, originOf(request))
      return { ok: true }
    },
  })
}

function signInRoute(app: App, services: Services): void {
  route(app, {
    method: 'POST',
    url: '/auth/login/mfa',
    id: 'loginMfa',
    signIn: true,
    tag: 'Authentication',
    summary: 'Complete a sign-in with the second factor',
    responseHeaders: ['Set-Cookie'],
    auth: 'none',
    errors: [401, 403],
    body: Type.Object({ mfaToken: Secret, totpCode: Code, useBackupCode: Type.Optional(Type.Boolean()) }),
    reply: { 200: SessionAnswer },
    handle: async ({ body, request, reply }) => {
      const result = await signInWithSecondFactor(services, { ...body, origin: originOf(request) })
      keepDevice(request, reply, services, result.account.id)
      return signInAnswer(result)
    },
  })
}

async function resetMfa(services: Services, actor: Actor, accountId: string, origin: Origin): Promise<void> {
  await services.db.transaction(async tx => {
    // Or a token of fifteen minutes takes anybody's factor off.
    await demandStepUp(tx, actor, tx.clock.real())
    const account = isId(accountId) ? await tx.maybe(lockAccount(accountId)) : undefined
    if (!account || account.status === 'DELETED') throw fault(IDENTITY.USER_NOT_FOUND)
    if (account.id === actor.accountId) throw fault(COMMON.FORBIDDEN, { hint: 'Ask another admin to do this' })
    await endLinks(tx, account.id)
    await removeMfa(tx, services, { action: 'mfa.reset', actor, accountId, origin })
  })
}
