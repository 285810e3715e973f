import { createAffiliateProfile } from '#affiliates'
import { createAgent } from '#agents'
import { type Account, registration, serviceAccounts } from '#identity'
import type { PublicContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import type { AgentWallet } from './agent-wallet.ts'

export interface AgentRegistration {
  username: string
  wallet: AgentWallet
  agentDisplayName?: string
}

/** Registers an agent account with its wallet, affiliate profile and service account with its key. */
export async function registerAgent(
  tx: Tx,
  ctx: PublicContext,
  input: AgentRegistration,
  services: Services,
): Promise<
  {
    account: Account
    agentApiKey: string
    referralCode: string
    warnings?: string[]
  } & registration.TokenPair
> {
  const { username, agentDisplayName: displayName = username } = input
  const { warnings, ...wallet } = input.wallet
  const account = await registration.createAccount(tx, {
    username,
    displayName,
    userType: 'AGENT',
    usernameError: registration.USERNAME_EXISTS,
    ...wallet,
  })
  const { code: referralCode } = await createAffiliateProfile(tx, { accountId: account.id, displayName })
  const { apiKey: agentApiKey } = await serviceAccounts.createServiceAccount(tx, account.id, {
    name: username,
    description: 'Made at registration',
  })
  return {
    account,
    agentApiKey,
    referralCode,
    ...(warnings ? { warnings } : {}),
    ...(await registration.startSession(
      tx,
      ctx,
      { accountId: account.id, method: 'registration' },
      services,
    )),
  }
}

export interface AgentListing {
  username: string
  email: string
  wallet: AgentWallet
  displayName?: string
  description?: string
}

/** Registers an account that signs in by email, with its DRAFT agent, the key of the agent, wallets and affiliate profile. */
export async function registerListedAgent(tx: Tx, publicUrl: string, input: AgentListing) {
  const { username, email, displayName = username, description = '' } = input
  const { warnings, ...wallet } = input.wallet
  const account = await registration.createAccount(tx, {
    username,
    email,
    displayName,
    userType: 'AGENT',
    ...wallet,
  })
  const agent = await createAgent(tx, account, {
    slugIfFree: username,
    name: displayName,
    description,
    walletAddress: wallet.walletAddress,
  })
  const { apiKey } = await serviceAccounts.issueAgentKey(tx, { agentId: agent.id, accountId: account.id })
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

/** Registers an agent account with its wallet, and a service account with its key. */
export async function selfRegister(
  tx: Tx,
  input: { username: string; name?: string },
): Promise<{ account: Account; serviceAccount: serviceAccounts.ServiceAccount; apiKey: string }> {
  const { username, name = username } = input
  const account = await registration.createAccount(tx, { username, displayName: name, userType: 'AGENT' })
  return { account, ...(await serviceAccounts.createServiceAccount(tx, account.id, { name })) }
}
