import { createAffiliateProfile } from '#affiliates'
import { createAgent } from '#agents'
import {
  createAccount,
  createServiceAccount,
  issueAgentKey,
  startSession,
  USERNAME_EXISTS,
  type Account,
  type Origin,
  type ServiceAccount,
  type TokenPair,
} from '#identity'
import type { Tx } from '#platform/db'
import type { Services } from '#platform/services'
import type { AgentWallet } from './agent-wallet.ts'

export interface AgentRegistration {
  username: string
  wallet: AgentWallet
  agentDisplayName?: string
}

/**
 * POST /auth/register-agent: account, wallet, affiliate profile and service account with its key, all of them or
 * none.
 */
export async function registerAgent(
  tx: Tx,
  services: Services,
  input: AgentRegistration,
  origin: Origin,
): Promise<{ account: Account; agentApiKey: string; referralCode: string; warnings?: string[] } & TokenPair> {
  const { username, agentDisplayName: displayName = username } = input
  const { warnings, ...wallet } = input.wallet
  const account = await createAccount(tx, { username, displayName, userType: 'AGENT', usernameError: USERNAME_EXISTS, ...wallet })
  const { code: referralCode } = await createAffiliateProfile(tx, { accountId: account.id, displayName })
  const { apiKey: agentApiKey } = await createServiceAccount(tx, account.id, {
    name: username,
    description: 'Made at registration',
  })
  return {
    account,
    agentApiKey,
    referralCode,
    ...(warnings ? { warnings } : {}),
    ...(await startSession(tx, services, account, { method: 'registration', origin })),
  }
}

export interface AgentListing {
  username: string
  email: string
  wallet: AgentWallet
  displayName?: string
  description?: string
}

/**
 * POST /agents/register: an account that signs in by e-mail, its listed agent (DRAFT) with its key, wallets,
 * affiliate profile; all or none.
 */
export async function registerListedAgent(tx: Tx, publicUrl: string, input: AgentListing) {
  const { username, email, displayName = username, description = '' } = input
  const { warnings, ...wallet } = input.wallet
  const account = await createAccount(tx, { username, email, displayName, userType: 'AGENT', ...wallet })
  const agent = await createAgent(tx, account, {
    slugIfFree: username,
    name: displayName,
    description,
    walletAddress: wallet.walletAddress,
  })
  const { apiKey } = await issueAgentKey(tx, { agentId: agent.id, accountId: account.id })
  const { code } = await createAffiliateProfile(tx, { accountId: account.id, displayName })
  return {
    success: true,
    username,
    affiliateCode: code,
    x402WalletAddress: agent.x402WalletAddress ?? '',
    affiliateLink: `${publicUrl}/affiliates/r/${code}`,
    agentId: agent.id,
    slug: agent.slug,
    apiKey,
    ...(warnings ? { warnings } : {}),
  }
}

/**
 * POST /api/v1/service-accounts/agents/self-register: an agent account with its wallet, and a service account with
 * its key.
 */
export async function selfRegister(
  tx: Tx,
  input: { username: string; name?: string },
): Promise<{ account: Account; serviceAccount: ServiceAccount; apiKey: string }> {
  const { username, name = username } = input
  const account = await createAccount(tx, { username, displayName: name, userType: 'AGENT' })
  return { account, ...(await createServiceAccount(tx, account.id, { name })) }
}
