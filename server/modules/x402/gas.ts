import { accounts } from '#ledger'
import type { Leg } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { Network } from './chain/network.ts'

const WEI_PER_ETHER = 10n ** 18n
const MICRO_PER_DOLLAR = 1_000_000n

/**
 * The leg of what a transaction cost: an expense in dollars at CHAIN_ETH_USD, rounded up, from the ether of the service. The
 * custody of USDC stays what the chain says.
 */
export function gasLeg({ config }: Pick<Services, 'config'>, network: Network, gasWei: bigint): Leg {
  const microWei = gasWei * BigInt(config.CHAIN_ETH_USD) * MICRO_PER_DOLLAR
  const amount = (microWei + WEI_PER_ETHER - 1n) / WEI_PER_ETHER
  return {
    debit: accounts.gas,
    credit: accounts.custody(network.id, 'ETH'),
    amount: amount > 0n ? amount : 1n,
    asset: 'USD',
  }
}
