import { Type } from '#platform/http/type'
import { cryptoWallets } from '#wallets'
import { commandInSteps, type App } from '#platform/http/operations'
import { AmountIn, Money, named } from '#platform/http/schema'
import { apiError } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { chainOf, giveEther, localChain } from './chain/open.ts'
import type { Hex } from './chain/port.ts'
import { X402 } from './errors.ts'

const Faucet = Type.Object({
  address: Type.String({
    maxLength: 100,
    examples: ['0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'],
    description: 'Address that gets test USDC',
  }),
  amount: AmountIn,
})
const Given = named(
  'FaucetReceipt',
  Type.Object({
    address: Type.String({ description: 'Address that got test USDC' }),
    network: Type.String({
      pattern: '^[a-z0-9-]+:[A-Za-z0-9_-]+$',
      examples: ['eip155:84532'],
      description: 'Chain in CAIP-2',
    }),
    txHash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', description: 'Hash of the chain transaction' }),
    balance: { ...Money, description: 'Balance of the address in USDC afterwards' },
    rpcUrl: Type.String({ format: 'uri', description: 'The local node, for a wallet of your own' }),
  }),
)

/** Test USDC on the local chain (SVC_CHAIN=local). */
export function chainSandboxRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    method: 'POST',
    url: '/sandbox/chain/faucet',
    id: 'giveTestUsdc',
    tag: 'Sandbox',
    summary: 'Give an address test USDC',
    access: 'public',
    description:
      'Mints test USDC on the local chain, with a test ether for gas. Needs `SVC_CHAIN=local`; without it the answer is 409.',
    body: Faucet,
    example: { address: '0x103d6d77c5ea7fe7ab747d2ddef4f35389666643', amount: 100 },
    errors: [409],
    success: [201, Given],
    run: (_db, _ctx, { body }) => giveTestUsdc(services, body),
  })
}

async function giveTestUsdc(services: Services, order: { address: string; amount: number | string }) {
  const amount = parseAmount(order.amount)
  const address = (await cryptoWallets.providedAddress(order.address)) as Hex
  if (services.config.SVC_CHAIN !== 'local')
    throw apiError(X402.NO_LOCAL_CHAIN, { hint: 'Start the service with SVC_CHAIN=local' })
  const { url: rpcUrl } = await localChain(services)
  const chain = await chainOf(services)
  const txHash = await chain.mint(address, amount)
  await giveEther(rpcUrl, address)
  const balance = formatMoney(await chain.balanceOf(address))
  return { address, network: chain.network.id, txHash, balance, rpcUrl }
}
