import { apiError } from '#platform/kernel/errors'
import { memoizePerService, type Services } from '#platform/kernel/services'
import { X402 } from '../errors.ts'
import { openChain } from './client.ts'
import { hotKey } from './keys.ts'
import { request, startLocalChain } from './local.ts'
import { networkOf } from './network.ts'
import type { Chain } from './port.ts'

/** True if this server has a node to ask. */
export const hasChain = ({ config }: Pick<Services, 'config'>): boolean =>
  config.SVC_CHAIN === 'local' || config.CHAIN_RPC_URL !== undefined

/** The chain that this process runs itself (SVC_CHAIN=local). */
export const localChain = memoizePerService(startLocalChain)

/** The chain of this service, opened on first use. ApiError 503 if there is none. */
export async function chainOf(services: Services): Promise<Chain> {
  if (!hasChain(services))
    throw apiError(X402.CHAIN_UNAVAILABLE, {
      hint: 'This server has no node: set CHAIN_RPC_URL, or SVC_CHAIN=local in sandbox mode',
    })
  return openedChain(services)
}

const openedChain = memoizePerService(async (services: Services): Promise<Chain> => {
  const { config } = services
  const isLocal = config.SVC_CHAIN === 'local'
  const rpcUrl = isLocal ? (await localChain(services)).url : (config.CHAIN_RPC_URL ?? '')
  const chain = await openChain({
    network: networkOf(config),
    rpcUrl,
    key: await hotKey(services),
    facilitatorUrl: config.X402_FACILITATOR_URL,
    pollingMs: isLocal ? 20 : 1000,
  })
  if (isLocal) await giveEther(rpcUrl, chain.hotAddress)
  return chain
})

/** Gives an address of the local chain one test ether for gas. */
export const giveEther = (url: string, address: string): Promise<unknown> =>
  request(url, 'anvil_setBalance', [address, '0xde0b6b3a7640000'])

/** How many blocks a transfer needs, its own included, until it counts as final. */
export const confirmationsOf = ({ config }: Services): number =>
  config.CHAIN_CONFIRMATIONS ?? (config.SVC_CHAIN === 'local' ? 1 : 12)
