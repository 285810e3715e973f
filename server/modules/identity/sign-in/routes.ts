import { Type } from '#platform/http/type'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { respond } from '#platform/http/response'
import { idempotencyKeyOf } from '#platform/http/request'
import type { Services } from '#platform/kernel/services'
import { checkUsername } from '../account/username.ts'
import { setUpFirstAdmin } from '../administration/first-admin.ts'
import { passwordWarnings } from '../credentials/password-rules.ts'
import { logout, refreshSession } from '../credentials/session.ts'
import {
  DisplayName,
  Email,
  NewPassword,
  Password,
  Secret,
  SessionAnswer,
  TokenAnswer,
  Warnings,
} from '../schema.ts'
import { agentLogin } from './agent-login.ts'
import { readDeviceToken } from './device.ts'
import { login } from './login.ts'
import { sessionBody, signInBody, SignInResponse, signInResponse } from './response.ts'

const common = { tag: 'Authentication', access: 'public' } as const

/** Signing in and out, and public information about usernames. */
export function authRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/auth/login',
    id: 'login',
    signIn: true,
    summary: 'Sign in with email and password',
    responseHeaders: ['Set-Cookie'],
    errors: [401, 403],
    body: Type.Object({ email: Email, password: Password }),
    success: [200, SignInResponse],
    run: async (_, ctx, { body, http }) => {
      const deviceToken = readDeviceToken(services, http)
      const result = await login(services, ctx, { ...body, deviceToken })
      return signInResponse(services, http, result, signInBody(result))
    },
  })
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/auth/agent/login',
    id: 'agentLogin',
    signIn: true,
    summary: 'Sign in to an agent account with its API key',
    errors: [401, 403],
    body: Type.Object({
      username: Type.String({ maxLength: 100, description: "Username of the agent's account" }),
      apiKey: { ...Secret, description: '`sk_` key of that account' },
    }),
    success: [200, SessionAnswer],
    run: async (_, ctx, { body }) => sessionBody(await agentLogin(services, ctx, body)),
  })
  refreshRoutes(app, services)
  setupRoute(app, services)
  usernameRoutes(app)
}

function refreshRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/auth/refresh',
    id: 'refreshSession',
    summary: 'Rotate a refresh token',
    idempotent: true,
    errors: [401, 403],
    excludeErrors: [409, 422],
    body: Type.Object({ refreshToken: { ...Secret, description: '`refreshToken` of the last response' } }),
    success: [200, TokenAnswer],
    run: async (_, ctx, { body, http }) => {
      const idempotencyKey = idempotencyKeyOf(http.headers['idempotency-key'])
      const { pair, isReplay } = await refreshSession(services, ctx, { ...body, idempotencyKey })
      return respond(pair, { headers: isReplay ? { 'Idempotency-Replayed': 'true' } : {} })
    },
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/auth/logout',
    id: 'logout',
    summary: 'Sign out',
    body: Type.Object({ refreshToken: { ...Secret, description: '`refreshToken` of the session to end' } }),
    success: 204,
    run: (tx, ctx, { body }) => logout(tx, ctx, body.refreshToken),
  })
}

function setupRoute(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    method: 'POST',
    url: '/auth/setup',
    id: 'setUpFirstAdmin',
    signIn: true,
    summary: 'Create the first admin',
    responseHeaders: ['Set-Cookie'],
    errors: [409],
    body: Type.Object({
      token: Secret,
      email: Email,
      password: NewPassword,
      displayName: Type.Optional(DisplayName),
    }),
    success: [201, Type.Object({ ...SessionAnswer.properties, warnings: Warnings })],
    run: async (_, ctx, { body, http }) => {
      const about = [body.email, body.displayName]
      const warnings = await passwordWarnings(body.password, services, { about })
      const result = await setUpFirstAdmin(services, ctx, { displayName: 'Admin', ...body })
      const extra = warnings.length ? { warnings } : {}
      return signInResponse(services, http, result, { ...sessionBody(result), ...extra })
    },
  })
}

function usernameRoutes(app: App): void {
  const check = {
    ...common,
    method: 'GET',
    query: Type.Object({ username: Type.String({ maxLength: 200, examples: ['ada_bot'] }) }),
    success: [
      200,
      Type.Object({
        available: Type.Boolean({ description: 'Whether the username can be registered' }),
        suggestions: Type.Optional(
          Type.Array(Type.String(), { description: 'Free usernames like it; only if it is taken' }),
        ),
      }),
    ],
  } as const
  query(app, {
    ...check,
    url: '/auth/check-username',
    id: 'checkUsername',
    summary: 'Check whether a username is free',
    limit: { name: 'check-username', max: 20, windowSeconds: 60, per: 'ip' },
    run: (q, _, { query }) => checkUsername(q, query.username),
  })
  query(app, {
    ...check,
    url: '/agents/username/check',
    id: 'checkAgentUsername',
    summary: 'Check whether a username is free for an agent',
    limit: { name: 'agent-username', max: 10, windowSeconds: 1, per: 'ip' },
    run: (q, _, { query }) => checkUsername(q, query.username),
  })
}
