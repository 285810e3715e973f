import type { NewAccount } from '#identity'
import { invalid } from '#platform/fault'
import { isChecksummed } from '#wallets'

export interface WalletWish {
  walletType?: 'managed' | 'own' | 'MANAGED' | 'PROVIDED'
  walletAddress?: string
}

export interface AgentWallet extends Pick<NewAccount, 'walletType' | 'walletAddress'> {
  warnings?: string[]
}

/**
 * The wallet that an agent asks for: the service's, or an EVM address of its own. The interface asks for its form alone,
 * so that a wrong checksum (EIP-55) is taken too, with a warning: it often tells of a slip in copying. Payout addresses
 * and `POST /wallets` stay strict.
 */
export async function walletOf({ walletType, walletAddress: address }: WalletWish): Promise<AgentWallet> {
  if (walletType !== 'own' && walletType !== 'PROVIDED') return { walletType: 'MANAGED' }
  if (!address) throw invalid('walletAddress is required for a wallet of your own')
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw invalid('walletAddress must be 0x followed by 40 hexadecimal characters')
  if (await isChecksummed(address)) return { walletType: 'PROVIDED', walletAddress: address }
  return {
    walletType: 'PROVIDED',
    walletAddress: address.toLowerCase(),
    warnings: ['walletAddress: its checksum (EIP-55) does not fit, make sure that it is yours'],
  }
}
