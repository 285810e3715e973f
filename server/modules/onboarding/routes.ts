import { Type } from '#platform/http/type'
import { referralMeta } from '#affiliates'
import { affiliation } from '#ap2'
import { registration, serviceAccounts, schemas } from '#identity'
import { commandInSteps, type App } from '#platform/http/operations'
import { respond } from '#platform/http/response'
import type { Services } from '#platform/kernel/services'
import { register } from './register.ts'
import { registerAgent, registerListedAgent, selfRegister } from './register-agent.ts'
import { walletOf, type AgentWallet, type WalletWish } from './agent-wallet.ts'
import {
  AgentRegistered,
  ListedRegistered,
  RegisterAgentBody,
  RegisterBody,
  RegisterListedBody,
  SelfRegisterBody,
  SelfRegistered,
} from './schema.ts'

const common = { method: 'POST', access: 'public' } as const

/** Registration of people and agents. */
export function registerRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    url: '/auth/register',
    id: 'register',
    signIn: true,
    tag: 'Authentication',
    summary: 'Create an account',
    errors: [409],
    body: RegisterBody,
    responseHeaders: ['Set-Cookie'],
    success: [
      201,
      Type.Object({
        ...schemas.SessionAnswer.properties,
        warnings: schemas.Warnings,
        svc_meta: Type.Optional(affiliation.ReferralMeta),
      }),
    ],
    run: async (_, ctx, { body, http }) => {
      const { account, warnings, referral, ...pair } = await register(services, ctx, {
        ...body,
        clickId: http.cookies[registration.CLICK_COOKIE],
      })
      const response = {
        user: schemas.userRecord(account),
        ...pair,
        ...(warnings.length ? { warnings } : {}),
        ...(referral ? { svc_meta: referralMeta(referral) } : {}),
      }
      return respond(response, { cookies: [registration.deviceCookie(services, http, account.id)] })
    },
  })
  commandInSteps(app, {
    ...common,
    url: '/auth/register-agent',
    id: 'registerAgentAccount',
    tag: 'Authentication',
    summary: 'Register an agent account with a username',
    errors: [409],
    body: RegisterAgentBody,
    success: [201, AgentRegistered],
    run: async (db, ctx, { body }) => {
      const { account, ...rest } = await guarded(services, { ...body, ip: ctx.ip }, wallet =>
        db.transaction(tx => registerAgent(tx, ctx, { ...body, wallet }, services)),
      )
      return { user: schemas.userRecord(account), ...rest }
    },
  })
  listedAgentRoutes(app, services)
}

function listedAgentRoutes(app: App, services: Services): void {
  const { clock, publicUrl } = services
  commandInSteps(app, {
    ...common,
    url: '/agents/register',
    id: 'registerListedAgent',
    tag: 'Agents',
    summary: 'Register an agent account with email, listing and wallet',
    errors: [409],
    body: RegisterListedBody,
    success: [200, ListedRegistered],
    run: (db, { ip }, { body }) =>
      guarded(services, { ...body, ip }, wallet =>
        db.transaction(tx => registerListedAgent(tx, publicUrl, { ...body, wallet })),
      ),
  })
  commandInSteps(app, {
    ...common,
    url: '/api/v1/service-accounts/agents/self-register',
    id: 'selfRegisterAgent',
    tag: 'Service accounts',
    summary: 'Register an agent account with a service account',
    errors: [409],
    body: SelfRegisterBody,
    success: [201, SelfRegistered],
    run: async (db, { ip }, { body }) => {
      const { account, serviceAccount, apiKey } = await guarded(services, { ...body, ip }, () =>
        db.transaction(tx => selfRegister(tx, body)),
      )
      return {
        serviceAccount: serviceAccounts.serviceAccountRecord(serviceAccount, clock),
        apiKey,
        user: schemas.userRecord(account),
      }
    },
  })
}

/** Malformed input is rejected before the challenge is checked, because a bot token cannot be sent twice. */
async function guarded<T>(
  services: Services,
  input: WalletWish & { username: string; challengeSolution?: string; botToken?: string; ip: string },
  work: (wallet: AgentWallet) => Promise<T>,
): Promise<T> {
  registration.requireUsername(input.username)
  const wallet = await walletOf(input)
  return registration.withChallenge(services, input, () => work(wallet))
}
