import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { setUpFirstAdmin } from '../first-admin.ts'
import { agentLogin, keepDevice, login, readDevice } from '../login.ts'
import { passwordWarnings } from '../password-rules.ts'
import {
  DisplayName,
  Email,
  NewPassword,
  Password,
  Secret,
  SessionAnswer,
  TokenAnswer,
  userRecord,
  Warnings,
} from '../schema.ts'
import { logout, originOf, refreshSession } from '../session.ts'
import { SignInAnswer, signInAnswer } from '../sign-in.ts'
import { ACCESS_SECONDS, tokensOf } from '../token.ts'
import { checkUsername } from '../username.ts'

const tag = 'Authentication'
const expiresIn = ACCESS_SECONDS

/** Signing in and out, and what anybody may ask. */
export function authRoutes(app: App, services: Services): void {
  route(app, {
    method: 'POST',
    url: '/auth/login',
    id: 'login',
    signIn: true,
    tag,
    summary: 'Sign in with email and password',
    responseHeaders: ['Set-Cookie'],
    auth: 'none',
    errors: [401, 403],
    body: Type.Object({ email: Email, password: Password }),
    reply: { 200: SignInAnswer },
    handle: async ({ body, request, reply }) => {
      const result = await login(services, { ...body, deviceToken: readDevice(services, request), origin: originOf(request) })
      if ('account' in result) keepDevice(request, reply, services, result.account.id)
      return signInAnswer(result)
    },
  })
  route(app, {
    method: 'POST',
    url: '/auth/agent/login',
    id: 'agentLogin',
    signIn: true,
    tag,
    summary: 'Sign in to an agent account with its API key',
    auth: 'none',
    errors: [401, 403],
    body: Type.Object({ username: Type.String({ maxLength: 100 }), apiKey: Secret }),
    reply: { 200: SessionAnswer },
    handle: async ({ body, request }) => {
      const { account, ...pair } = await agentLogin(services, { ...body, origin: originOf(request) })
      return { user: userRecord(account), ...pair, expiresIn }
    },
  })
  refreshRoutes(app, services)
  setupRoute(app, services)
  publicRoutes(app, services)
}

function refreshRoutes(app: App, services: Services): void {
  route(app, {
    method: 'POST',
    url: '/auth/refresh',
    id: 'refreshSession',
    tag,
    summary: 'Rotate a refresh token',
    auth: 'none',
    errors: [401, 403],
    body: Type.Object({ refreshToken: Secret }),
    reply: { 200: TokenAnswer },
    handle: async ({ body, request }) => ({
      ...(await refreshSession(services, body.refreshToken, originOf(request))),
      expiresIn,
    }),
  })
  route(app, {
    method: 'POST',
    url: '/auth/logout',
    id: 'logout',
    tag,
    summary: 'Sign out',
    auth: 'none',
    body: Type.Object({ refreshToken: Secret }),
    reply: { 204: Type.Null() },
    handle: async ({ body }) => {
      await services.db.transaction(tx => logout(tx, body.refreshToken))
    },
  })
}

function setupRoute(app: App, services: Services): void {
  const { config } = services
  route(app, {
    method: 'POST',
    url: '/auth/setup',
    id: 'setUpFirstAdmin',
    signIn: true,
    tag,
    summary: 'Create the first admin',
    responseHeaders: ['Set-Cookie'],
    auth: 'none',
    errors: [409],
    body: Type.Object({ token: Secret, email: Email, password: NewPassword, displayName: Type.Optional(DisplayName) }),
    reply: { 201: Type.Object({ ...SessionAnswer.properties, warnings: Warnings }) },
    handle: async ({ body, request, reply }) => {
      const warnings = passwordWarnings(body.password, config, { about: [body.email, body.displayName] })
      const input = { displayName: 'Admin', ...body }
      const { account, ...pair } = await setUpFirstAdmin(services, input, originOf(request))
      keepDevice(request, reply, services, account.id)
      return { user: userRecord(account), ...pair, expiresIn, ...(warnings.length ? { warnings } : {}) }
    },
  })
}

const UsernameQuery = Type.Object({ username: Type.String({ maxLength: 200, examples: ['ada_bot'] }) })
const Availability = Type.Object({ available: Type.Boolean(), suggestions: Type.Optional(Type.Array(Type.String())) })

function publicRoutes(app: App, services: Services): void {
  const { db } = services
  const common = {
    method: 'GET' as const,
    tag,
    auth: 'none' as const,
    query: UsernameQuery,
    reply: { 200: Availability },
  }
  route(app, {
    ...common,
    url: '/auth/check-username',
    id: 'checkUsername',
    summary: 'Check whether a username is free',
    limit: { name: 'check-username', max: 20, windowSeconds: 60, per: 'ip' },
    handle: async ({ query }) => checkUsername(db, query.username),
  })
  route(app, {
    ...common,
    url: '/agents/username/check',
    id: 'checkAgentUsername',
    summary: 'Check whether a username is free for an agent',
    limit: { name: 'agent-username', max: 10, windowSeconds: 1, per: 'ip' },
    handle: async ({ query }) => checkUsername(db, query.username),
  })
  route(app, {
    method: 'GET',
    url: '/.well-known/jwks.json',
    id: 'getJwks',
    tag,
    summary: 'Get the public keys of the access tokens',
    auth: 'none',
    unlimited: true,
    steady: true,
    reply: { 200: Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.String())) }) },
    handle: async ({ reply }) => {
      void reply.header('cache-control', 'public, max-age=300')
      return (await tokensOf(services)).jwks
    },
  })
}
