import { cryptoWallets } from '#wallets'
import { memoizePerService, type Services } from '#platform/kernel/services'

// Branches of the key tree below the sealed seed (BIP-44): wallets have the first one.
const HOT_PATH = "m/44'/60'/1'/0/0"
const DEPOSIT_PATH = "m/44'/60'/2'/0"

/** Key of the address that pays the gas and from which payouts leave. */
export const hotKey = (services: Services): Promise<`0x${string}`> => privateKey(services, HOT_PATH)

/** The address of that key, with its checksum. */
export const hotAddress = memoizePerService(async (services: Services): Promise<`0x${string}`> =>
  addressOfKey(await hotKey(services)),
)

/** Key of a deposit address, which one payment has for itself. */
export const depositKey = (services: Services, index: number): Promise<`0x${string}`> =>
  privateKey(services, `${DEPOSIT_PATH}/${index}`)

/** Key of the address of a managed wallet. */
export const managedKey = (services: Services, index: number): Promise<`0x${string}`> =>
  privateKey(services, `${cryptoWallets.MANAGED_PATH}/${index}`)

/** The address of a key, with its checksum. */
export async function addressOfKey(key: `0x${string}`): Promise<`0x${string}`> {
  const { privateKeyToAddress } = await import('viem/accounts')
  return privateKeyToAddress(key)
}

const keyTree = memoizePerService(async (services: Services) => {
  const { HDKey } = await import('viem/accounts')
  return HDKey.fromMasterSeed(Buffer.from(await cryptoWallets.walletSeed(services), 'hex'))
})

async function privateKey(services: Services, path: string): Promise<`0x${string}`> {
  const tree = await keyTree(services)
  const { privateKey } = tree.derive(path)
  if (!privateKey) throw new Error(`the key tree has no private key at ${path}`)
  return `0x${Buffer.from(privateKey).toString('hex')}`
}
