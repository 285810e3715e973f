import type { Config } from '#platform/kernel/config'

/** An EVM network and its USDC contract, whose signature domain (EIP-712) x402 clients sign for. */
export interface Network {
  /** CAIP-2, as protocol version 2 writes it. */
  id: `eip155:${number}`
  chainId: number
  /** As protocol version 1 writes it. */
  legacyName: string
  token: `0x${string}`
  tokenName: string
  tokenVersion: string
}

const BASE_SEPOLIA: Network = {
  id: 'eip155:84532',
  chainId: 84_532,
  legacyName: 'base-sepolia',
  token: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  tokenName: 'USDC',
  tokenVersion: '2',
}

const BASE: Network = {
  id: 'eip155:8453',
  chainId: 8453,
  legacyName: 'base',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  tokenName: 'USD Coin',
  tokenVersion: '2',
}

/** The network of this mode: Base Sepolia in sandbox mode, Base in production mode. */
export const networkOf = ({ sandbox }: Pick<Config, 'sandbox'>): Network => (sandbox ? BASE_SEPOLIA : BASE)

/** True if `name` is a name of the network in either protocol version. */
export const isNameOf = (network: Network, name: string): boolean =>
  name === network.id || name === network.legacyName
