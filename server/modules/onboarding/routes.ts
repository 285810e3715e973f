import { Type } from 'typebox'
import { referralMeta } from '#affiliates'
import { ACCESS_SECONDS, assertUsername, keepDevice, originOf, serviceAccountRecord, SessionAnswer, userRecord, Warnings, withChallenge } from '#identity'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { register } from './register.ts'
import { registerAgent, registerListedAgent, selfRegister } from './register-agent.ts'
import { walletOf, type AgentWallet, type WalletWish } from './agent-wallet.ts'
import {
  AgentRegistered,
  ListedRegistered,
  ReferralMeta,
  RegisterAgentBody,
  RegisterBody,
  RegisterListedBody,
  SelfRegisterBody,
  SelfRegistered,
} from './schema.ts'

const expiresIn = ACCESS_SECONDS

/** Where accounts begin. */
export function registerRoutes(app: App, services: Services): void {
  const { db, clock, publicUrl } = services
  const common = { method: 'POST' as const, tag: 'Authentication', auth: 'none' as const, errors: [409] }
  route(app, {
    ...common,
    url: '/auth/register',
    id: 'register', signIn: true,
    summary: 'Create an account',
    body: RegisterBody, responseHeaders: ['Set-Cookie'],
    reply: { 201: Type.Object({ ...SessionAnswer.properties, warnings: Warnings, svc_meta: Type.Optional(ReferralMeta) }) },
    handle: async ({ body, request, reply }) => {
      const { account, warnings, referral, ...pair } = await register(services, body, originOf(request))
      keepDevice(request, reply, services, account.id)
      return { user: userRecord(account), ...pair, expiresIn, ...(warnings.length ? { warnings } : {}), ...(referral ? { svc_meta: referralMeta(referral) } : {}) }
    },
  })
  route(app, {
    ...common,
    url: '/auth/register-agent',
    id: 'registerAgentAccount',
    summary: 'Register an agent account with a username',
    body: RegisterAgentBody,
    reply: { 201: AgentRegistered },
    handle: async ({ body, request }) => {
      const { account, ...rest } = await guarded(services, { ...body, ip: request.ip }, wallet =>
        db.transaction(tx => registerAgent(tx, services, { ...body, wallet }, originOf(request))),
      )
      return { user: userRecord(account), ...rest, expiresIn }
    },
  })
  route(app, {
    ...common,
    url: '/agents/register',
    id: 'registerListedAgent',
    tag: 'Agents',
    summary: 'Register an agent account with email, listing and wallet',
    body: RegisterListedBody,
    reply: { 200: ListedRegistered },
    handle: async ({ body, request }) => {
      return guarded(services, { ...body, ip: request.ip }, wallet =>
        db.transaction(tx => registerListedAgent(tx, publicUrl, { ...body, wallet })),
      )
    },
  })
  route(app, {
    ...common,
    url: '/api/v1/service-accounts/agents/self-register',
    id: 'selfRegisterAgent',
    tag: 'Service accounts',
    summary: 'Register an agent account with a service account',
    body: SelfRegisterBody,
    reply: { 201: SelfRegistered },
    handle: async ({ body, request }) => {
      const { account, serviceAccount, apiKey } = await guarded(services, { ...body, ip: request.ip }, () =>
        db.transaction(tx => selfRegister(tx, body)),
      )
      return { serviceAccount: serviceAccountRecord(serviceAccount, clock.now()), apiKey, user: userRecord(account) }
    },
  })
}

/** What is malformed is said before the challenge is looked at; a bot token could not be sent twice. */
async function guarded<T>(
  services: Services,
  input: WalletWish & { username: string; challengeSolution?: string; botToken?: string; ip: string },
  act: (wallet: AgentWallet) => Promise<T>,
): Promise<T> {
  assertUsername(input.username)
  const wallet = await walletOf(input)
  return withChallenge(services, input, () => act(wallet))
}
