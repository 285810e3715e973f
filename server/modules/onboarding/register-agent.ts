import { createAffiliateProfile } from '#affiliates'
import {
  assertUsername, createAccount, createServiceAccount, startSession, type Account, type NewAccount, type Origin, type TokenPair,
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

/** POST /auth/register-agent: account, wallet, affiliate profile and service account with its key, all of them or none. */
export async function registerAgent(
  tx: Tx, services: Services, input: AgentRegistration, origin: Origin,
): Promise<{ account: Account; agentApiKey: string; referralCode: string } & TokenPair> {
  const { username, agentDisplayName: displayName = username } = input
  assertUsername(username)
  const account = await createAccount(tx, { username, displayName, userType: 'AGENT', ...walletOf(input.walletType === 'own', input.walletAddress) })
  const { code: referralCode } = await createAffiliateProfile(tx, { accountId: account.id, displayName })
  const { apiKey: agentApiKey } = await createServiceAccount(tx, { accountId: account.id, name: username, description: 'Made at registration' })
  return { account, agentApiKey, referralCode, ...await startSession(tx, services, account, { method: 'registration', origin }) }
}

/** The wallet that an agent asks for: the service's, or an EVM address of its own. */
export function walletOf(own: boolean, address: string | undefined): Pick<NewAccount, 'walletType' | 'walletAddress'> {
  if (!own) return { walletType: 'MANAGED' }
  if (!address) throw invalid('walletAddress is required for a wallet of your own')
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw invalid('walletAddress must be 0x followed by 40 hexadecimal characters')
  return { walletType: 'PROVIDED', walletAddress: address }
}
