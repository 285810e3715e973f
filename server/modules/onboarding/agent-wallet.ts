import type { registration } from '#identity'
import { invalid } from '#platform/kernel/errors'
import { cryptoWallets } from '#wallets'

export interface WalletWish {
  walletType?: 'managed' | 'own' | 'MANAGED' | 'PROVIDED'
  walletAddress?: string
}

export interface AgentWallet extends Pick<registration.NewAccount, 'walletType' | 'walletAddress'> {
  warnings?: string[]
}

/**
 * The wallet that an agent registers with: a managed one or an EVM address. The interface validates only the form of
 * the address, so a wrong checksum (EIP-55) is a warning: it often means a copying mistake. Payout addresses and
 * `POST /wallets` require a correct checksum.
 */
export async function walletOf({ walletType, walletAddress: address }: WalletWish): Promise<AgentWallet> {
  if (walletType !== 'own' && walletType !== 'PROVIDED') return { walletType: 'MANAGED' }
  if (!address) throw invalid('walletAddress is required for a wallet of your own')
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    throw invalid('walletAddress must be 0x followed by 40 hexadecimal characters')
  if (await cryptoWallets.isChecksummed(address)) return { walletType: 'PROVIDED', walletAddress: address }
  return {
    walletType: 'PROVIDED',
    walletAddress: address.toLowerCase(),
    warnings: ['walletAddress: its checksum (EIP-55) is wrong; make sure that the address is yours'],
  }
}
