import { createAffiliateProfile } from '#affiliates'
import { createAgent } from '#agents'
import {
  assertUsername,
  createAccount,
  createServiceAccount,
  issueAgentKey,
  startSession,
  type Account,
  type NewAccount,
  type Origin,
  type ServiceAccount,
  type TokenPair,
} from '#identity'
import type { Tx } from '#platform/db'
import { invalid } from '#platform/fault'
import type { Services } from '#platform/services'

export interface AgentRegistration {
  username: string
  walletType?: 'managed' | 'own'
  walletAddress?: string
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
): Promise<{ account: Account; agentApiKey: string; referralCode: string } & TokenPair> {
  const { username, agentDisplayName: displayName = username } = input
  assertUsername(username)
  const account = await createAccount(tx, {
    username,
    displayName,
    userType: 'AGENT',
    ...walletOf(input.walletType === 'own', input.walletAddress),
  })
  const { code: referralCode } = await createAffiliateProfile(tx, { accountId: account.id, displayName })
  const { apiKey: agentApiKey } = await createServiceAccount(tx, account.id, {
    name: username,
    description: 'Made at registration',
  })
  return {
    account,
    agentApiKey,
    referralCode,
    ...(await startSession(tx, services, account, { method: 'registration', origin })),
  }
}

export interface AgentListing {
  username: string
  email: string
  walletType?: 'MANAGED' | 'PROVIDED'
  walletAddress?: string
  displayName?: string
  description?: string
}

/**
 * POST /agents/register: an account that signs in by e-mail, its listed agent (DRAFT) with its key, wallets,
 * affiliate profile; all or none.
 */
export async function registerListedAgent(tx: Tx, publicUrl: string, input: AgentListing) {
  const { username, email, displayName = username, description = '' } = input
  assertUsername(username)
  const wallet = walletOf(input.walletType === 'PROVIDED', input.walletAddress)
  const account = await createAccount(tx, { username, email, displayName, userType: 'AGENT', ...wallet })
  const agent = await createAgent(tx, account, {
    slug: username,
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
    apiKey,
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
  assertUsername(username)
  const account = await createAccount(tx, { username, displayName: name, userType: 'AGENT' })
  return { account, ...(await createServiceAccount(tx, account.id, { name })) }
}

// The wallet that an agent asks for: the service's, or an EVM address of its own.
function walletOf(own: boolean, address: string | undefined): Pick<NewAccount, 'walletType' | 'walletAddress'> {
  if (!own) return { walletType: 'MANAGED' }
  if (!address) throw invalid('walletAddress is required for a wallet of your own')
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw invalid('walletAddress must be 0x followed by 40 hexadecimal characters')
  return { walletType: 'PROVIDED', walletAddress: address }
}
