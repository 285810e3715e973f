import { anonymousContext } from '../service/context.ts'
import { openMarket } from './deals.ts'
import { BANK } from './payouts.ts'
import { fund, makeAdmin, publishAgent, registerHuman, type Person } from './people.ts'
import {
  buy,
  collaborate,
  hire,
  sell,
  type AccountHistory,
  type Call,
  type Created,
  type Scene,
  type Trade,
} from './account-history-deals.ts'
import { suspendMoney } from './processor.ts'
import { refer } from './account-history-affiliates.ts'
import { chainTransfers, chargebacks } from './account-history-operator.ts'
import { askModels, rateAnswer } from '../gateway/account-history-outcomes.ts'
import { meetNeeds } from './account-history-market.ts'
import { payInUsdc } from './account-history-payments.ts'
import { runAgents } from './account-history-runs.ts'
import type { TestService } from '../service/service.ts'
import type { CanaryClient } from '../openapi/text-fields.ts'

const PASSWORD = 'correct horse battery staple'

/** Creates the history of a person: three deals as a buyer and three as a seller, some of them live. */
export async function createAccountHistory(
  service: TestService,
  client: CanaryClient,
  call: Call,
): Promise<AccountHistory> {
  const market = await openMarket(service)
  const seller = market.agent
  const person = await register(service, call)
  const agent = await listings(call, person)
  const organization = await keysAndMoney(service, { call, person, market })
  await payouts(call, person, { agentId: agent.id, organizationSlug: organization.slug })
  await operate(service, { call, person, market })
  await refer(service, client, { call, person, market })
  await chargebacks(service, { call, person, market })
  await chainTransfers(service, { call, person, market })
  await askModels(service, client, { call, person })
  await rateAnswer(service, { call, person })
  const living = new Set<string>()
  const paid = new Set<string>()
  const trade: Trade = { call, client, person, agent, market, seller, living, paid }
  await collaborate(trade)
  await hire(service, trade)
  await meetNeeds(service, trade)
  const deals = { ...(await buy(trade)), ...(await sell(service, trade)) }
  await payInUsdc(service, trade)
  await runAgents(service, trade)
  return { person, market, seller, agent, deals, living, paid }
}

async function register(service: TestService, call: Call): Promise<AccountHistory['person']> {
  const {
    user: { id, email },
    accessToken: token,
  } = await call<{ user: Person; accessToken: string }>('register', { body: { password: PASSWORD } })
  const { displayName } = await call<{ displayName: string }>('updateOwnAccount', {
    token,
    body: { email: null },
  })
  await call('updateOwnAccount', { token, body: { displayName } })
  await makeAdmin(service, { id })
  const {
    body: { id: walletId },
  } = await service.http<{ id: string }>('GET', `/wallets/user/${id}`, { token })
  return { id, token, walletId, email, displayName }
}

async function listings(call: Call, { token }: AccountHistory['person']): Promise<Created> {
  await call('announceAgent', { token })
  const first = await call<Created>('createAgent', { token })
  await call('replaceAgent', { token, path: { id: first.id } })
  await call('updateAgent', { token, path: { id: first.id } })
  await call('submitAgent', { token, path: { id: first.id } })
  const run = await call<Created>('createCertificationRun', { token, body: { suite: 'smoke' } })
  await call('abortCertificationRun', { token, path: { runId: run.id } })
  // Without an output schema, so that any result fits.
  const hired = await call<Created>('createAgent', { token, body: { outputSchema: null } })
  await call('publishAgent', { token, path: { id: hired.id } })
  await call('setAgentWebhook', { token, path: { id: hired.id }, body: { events: null } })
  const anyone = { allowedCounterparties: null, blockedCounterparties: null }
  await call('setAutonomyPolicy', { token, path: { id: hired.id }, body: anyone })
  return hired
}

async function keysAndMoney(
  service: TestService,
  { call, person: { token, walletId }, market }: Scene,
): Promise<Created> {
  await call('createServiceAccount', { token })
  const { id } = await call<Created>('createApiKey', { token })
  await call('updateServiceAccount', { token, path: { id } })
  await call('createRoutingKeyByAlias', { token })
  const routingKey = await call<Created>('createRoutingKey', { token })
  await call('updateRoutingKey', { token, path: { id: routingKey.id } })
  await call('updateRoutingConfig', { token, body: { sticky: false } })
  const organization = await call<Created>('createOrganization', { token })
  await call('renameOrganization', { token, path: { slug: organization.slug } })
  const hosted = await call<{ checkout: { id: string } }>('fundWallet', {
    token,
    path: { id: walletId },
    body: { amount: 900, rail: 'checkout' },
  })
  const paid = await service.http('POST', `/sandbox/checkout/${hosted.checkout.id}`, {
    body: { paymentMethodId: 'pm_card_visa' },
  })
  if (paid.status !== 200) throw new Error(paid.text)
  await call('fundWallet', { token, path: { id: walletId }, body: { amount: 5 } })
  await call('transferFromWallet', {
    token,
    path: { id: walletId },
    body: { toWalletId: market.buyer.walletId, amount: 2 },
  })
  await call('createWalletVoucher', { token, body: { walletId, amount: 1 } })
  await call('checkoutSubscription', { token, body: { rail: 'checkout' } })
  await call('topUpRoutingBalance', { token, body: { rail: 'checkout', amount: 5, sourceWalletId: null } })
  return organization
}

/** Connects bank accounts and pays out, for the person, an agent and an organization. */
async function payouts(
  call: Call,
  { token }: AccountHistory['person'],
  { agentId, organizationSlug }: { agentId: string; organizationSlug: string },
): Promise<void> {
  const country = 'US'
  await call('setUpAgentPayouts', { token, body: { agentId, country } })
  await call('setUpOrganizationPayouts', { token, body: { organizationSlug, country } })
  const { onboardingUrl } = await call<{ onboardingUrl: string }>('setUpUserPayouts', {
    token,
    body: { country },
  })
  const id = onboardingUrl.split('/').at(-1) ?? ''
  await call('completeSandboxOnboarding', {
    path: { id },
    body: { accountNumber: BANK, idNumber: '000000000' },
  })
  await call('requestUserPayout', { token, body: { amount: 1 } })
}

/** Creates an account with money and deletes it. Returns its wallet. */
async function abandoned(service: TestService): Promise<string> {
  const person = await registerHuman(service)
  await fund(service, person, 5)
  await service.http('DELETE', '/users/me', { token: person.token })
  return person.walletId
}

async function operate(service: TestService, { call, person: { token }, market }: Scene): Promise<void> {
  const { outsider, buyer, admin } = market
  for (const id of ['suspendUser', 'reinstateUser']) await call(id, { token, path: { id: outsider.id } })
  const other = await publishAgent(service, outsider)
  for (const id of ['suspendAgent', 'reinstateAgent']) await call(id, { token, path: { id: other.id } })
  const { body: submitted } = await service.http<Created>('POST', '/agents', {
    token: outsider.token,
    body: { name: 'Submitted' },
  })
  await service.http('POST', `/agents/${submitted.id}/submit`, { token: outsider.token, body: {} })
  await call('reviewAgent', { token, path: { id: submitted.id }, body: { decision: 'APPROVED' } })
  await call('issueTestCredit', { token, body: { walletId: buyer.walletId, amount: 3 } })
  await call('grantPromotion', { token, body: { walletId: buyer.walletId, amount: 3 } })
  await call('assignSuspense', {
    token,
    path: { id: await suspendMoney(service, outsider, 1400) },
    body: { walletId: outsider.walletId },
  })
  await call('returnSuspense', { token, path: { id: await suspendMoney(service, outsider, 1400) } })
  const unnamed = { network: null, asset: null, buyerAddress: null, negotiationId: null }
  await call('initiateX402Payment', { token, body: { agentId: other.id, amount: 1, ...unnamed } })
  await call('assignUnclaimed', {
    token,
    path: { walletId: await abandoned(service) },
    body: { toWalletId: outsider.walletId },
  })
  const order = { fromWalletId: buyer.walletId, toWalletId: outsider.walletId }
  await call('adminTransfer', { token, body: { ...order, amount: 4 } })
  await call('stepUp', { token, body: { password: PASSWORD } })
  await call('adminTransfer', { token, body: { ...order, amount: 200 } })
  for (const decision of ['approveApproval', 'rejectApproval']) {
    const { body, text } = await service.http<{ approval: { id: string } }>('POST', '/wallets/transfer', {
      token: admin,
      body: { ...order, amount: 200, reason: 'Correction' },
    })
    if (!body.approval) throw new Error(text)
    await call(decision, { token, path: { id: body.approval.id } })
  }
}

/** Registers accounts in all other ways and signs them in. */
export async function registerOtherAccounts(
  service: TestService,
  call: Call,
  internalSecret: string,
): Promise<{ id: string; token: string }[]> {
  const { registration } = await import('#identity')
  const own = { walletAddress: '0x52908400098527886E0F7030069857D2E4169EE7' }
  const made = await call<{ user: { id: string }; accessToken: string }>('registerAgentAccount', {
    body: { walletType: 'own', ...own },
  })
  const exchanged = await call<{ user: { id: string }; accessToken: string }>('exchangeSession', {
    headers: { 'x-internal-secret': internalSecret },
    body: { emailVerified: true },
  })
  const selfMade = await call<{ user: { id: string } }>('selfRegisterAgent')
  const listed = await call<{ agentId: string }>('registerListedAgent', {
    body: { walletType: 'PROVIDED', ...own },
  })
  const {
    rows: [owner],
  } = await service.services.db.pool.query<{ id: string }>(
    'select owner_id as id from agents_agent where id = $1',
    [listed.agentId],
  )
  const signedIn = await Promise.all(
    [selfMade.user.id, owner?.id ?? ''].map(async id => {
      const { accessToken } = await service.services.db.transaction(tx =>
        registration.startSession(tx, anonymousContext, { accountId: id, method: 'test' }, service.services),
      )
      return { id, token: accessToken }
    }),
  )
  await requestFrom(service, listed.agentId, signedIn[1]?.token)
  return [
    ...[made, exchanged].map(({ user, accessToken }) => ({ id: user.id, token: accessToken })),
    ...signedIn,
  ]
}

/** Somebody requests to pay an agent at its own address, and nobody does. */
async function requestFrom(service: TestService, agentId: string, ownerToken?: string): Promise<void> {
  const { token } = await registerHuman(service)
  await service.http('POST', `/agents/${agentId}/publish`, { token: ownerToken })
  const body = { agentId, amount: 1 }
  const { status, text } = await service.http('POST', '/payments/x402/initiate', { token, body })
  if (status !== 200) throw new Error(`cannot request: ${status} ${text}`)
}
