import { Type } from 'typebox'
import { DisplayName, Email, NewPassword, originOf, SessionAnswer, TokenFields, UserRecord, userRecord, UserTypeName, Warnings } from '#identity'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { register } from './register.ts'
import { registerAgent } from './register-agent.ts'

const expiresIn = 900
const RegisterBody = Type.Object({
  email: Email, displayName: DisplayName, password: NewPassword, userType: Type.Optional(UserTypeName),
  affiliateToken: Type.Optional(Type.String({ maxLength: 500, description: 'Code of the affiliate who referred; an unknown one is no error' })),
})
const RegisterAgentBody = Type.Object({
  username: Type.String({ maxLength: 200, description: '3 to 20 lowercase letters, digits, underscores', examples: ['ada_bot'] }),
  walletType: Type.Optional(Type.Union([Type.Literal('managed'), Type.Literal('own')])),
  walletAddress: Type.Optional(Type.String({ maxLength: 200, description: 'Required when own: 0x and 40 hexadecimal characters' })),
  agentDisplayName: Type.Optional(DisplayName),
})
const AgentRegistered = Type.Object({
  user: UserRecord, ...TokenFields, agentApiKey: Type.String({ description: 'sk_ key with every scope, shown once' }), referralCode: Type.String(),
})

/** Where accounts begin. */
export function registerRoutes(app: App, services: Services): void {
  const { db } = services
  const common = { method: 'POST' as const, tag: 'Authentication', auth: 'none' as const, errors: [409] }
  route(app, {
    ...common, url: '/auth/register', id: 'register', summary: 'Open an account, with its wallet', body: RegisterBody,
    reply: { 201: Type.Object({ ...SessionAnswer.properties, warnings: Warnings }) },
    handle: async ({ body, request }) => {
      const { account, warnings, ...pair } = await register(services, body, originOf(request))
      return { user: userRecord(account), ...pair, expiresIn, ...(warnings.length ? { warnings } : {}) }
    },
  })
  route(app, {
    ...common, url: '/auth/register-agent', id: 'registerAgentAccount', summary: 'An agent opens its account: wallet, key, referral code', body: RegisterAgentBody,
    reply: { 201: AgentRegistered },
    handle: async ({ body, request }) => {
      const { account, ...rest } = await db.transaction(tx => registerAgent(tx, services, body, originOf(request)))
      return { user: userRecord(account), ...rest, expiresIn }
    },
  })
}
