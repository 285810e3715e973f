import { ECDH, randomBytes } from 'node:crypto'
import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { WALLETS } from './errors.ts'
import { otherHeldAddresses } from './ports.ts'
import * as statements from './sql.ts'

// viem takes 0.3 s to load, so it is loaded when the first address is derived.
const loadKeys = () => import('viem/accounts')
const loadAddresses = () => import('viem/utils')

/** BIP-44 account of Ethereum; its children are not hardened, so that addresses need no private key. */
export const MANAGED_PATH = "m/44'/60'/0'/0"
/** CAIP-2: Base Sepolia in sandbox mode, Base in production. */
const networkOf = (sandbox: boolean): string => (sandbox ? 'eip155:84532' : 'eip155:8453')

/** The seed of all managed addresses, 64 hex digits; it is stored sealed, and every private key follows from it. */
export const walletSeed = ({ db, secrets }: Pick<Services, 'db' | 'secrets'>): Promise<string> =>
  secrets.stored(db, 'wallets/seed', () => randomBytes(32).toString('hex'))

/**
 * Creates the key tree of managed addresses once: the seed stays sealed, and the public key is stored in the database,
 * so that every command can derive addresses in its transaction. Adds the addresses of earlier wallets.
 */
export async function openKeyTree({ db, secrets, config }: Services): Promise<void> {
  if (await db.maybe(statements.keyTree())) return
  const { HDKey } = await loadKeys()
  const seed = await walletSeed({ db, secrets })
  await db.run(
    statements.insertKeyTree(
      HDKey.fromMasterSeed(Buffer.from(seed, 'hex')).derive(MANAGED_PATH).publicExtendedKey,
      networkOf(config.sandbox),
    ),
  )
  for (const { id, index } of await db.rows(statements.walletsWithoutAddress())) {
    const made = await managedAddress(db, index)
    if (made) await db.run(statements.setAddress(id, made.address, made.network))
  }
}

/** The managed address of an index; undefined before the tree exists (first start of a new database). */
export async function managedAddress(
  q: Queryable,
  index: number,
): Promise<{ address: string; network: string } | undefined> {
  const tree = await q.maybe(statements.keyTree())
  if (!tree) return undefined
  const { HDKey, publicKeyToAddress } = await loadKeys()
  const child = HDKey.fromExtendedKey(tree.publicKey).deriveChild(index).publicKey
  if (!child) throw new Error('the key tree holds no public key')
  const point = ECDH.convertKey(Buffer.from(child), 'secp256k1', undefined, 'hex', 'uncompressed') as string
  return { address: publicKeyToAddress(`0x${point}`), network: tree.network }
}

/** True if an address has a correct checksum (EIP-55), or is lower case and has none. */
export async function isChecksummed(address: string): Promise<boolean> {
  const { isAddress } = await loadAddresses()
  return isAddress(address)
}

/** An address of the caller in checksum form. 400 for an invalid address or a wrong checksum. */
export async function providedAddress(text: string | undefined): Promise<string> {
  const { getAddress, isAddress } = await loadAddresses()
  if (!text || !isAddress(text)) {
    throw apiError(WALLETS.ADDRESS_INVALID, {
      hint: '0x and 40 hexadecimal digits, in lower case or with a correct checksum (EIP-55)',
    })
  }
  return getAddress(text)
}

/** Those of the addresses, which have their checksum, that the service holds the keys of, whatever it uses them for. */
export async function heldAmong(q: Queryable, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const managed = await q.rows(statements.managedAddressesAt(addresses))
  const others = await otherHeldAddresses.call(q, { addresses })
  return new Set([...managed.map(({ cryptoAddress }) => cryptoAddress), ...others.flat()])
}

/**
 * An address of the caller that the service does not hold, in checksum form. Money that the service does not expect at an address of
 * its own would be credited to nobody, or to another account. 400 as for an invalid address.
 */
export async function outsideAddress(q: Queryable, text: string | undefined): Promise<string> {
  const address = await providedAddress(text)
  const held = await heldAmong(q, [address])
  if (held.has(address))
    throw apiError(WALLETS.ADDRESS_INVALID, {
      hint: 'This service holds the key of this address: choose an address outside of this service',
    })
  return address
}
