import { ECDH, randomBytes } from 'node:crypto'
import type { Queryable } from '#platform/db'
import { fault } from '#platform/fault'
import type { Services } from '#platform/services'
import { WALLETS } from './faults.ts'
import * as statements from './sql.ts'

// viem takes 0.3 s to load: only when the first address is made.
const loadKeys = () => import('viem/accounts')
const loadAddresses = () => import('viem/utils')

/** BIP-44 account of Ethereum; its children are not hardened, so that addresses need no private key. */
const PATH = "m/44'/60'/0'/0"
/** CAIP-2: Base Sepolia while trying, Base with real money. */
const networkOf = (sandbox: boolean): string => (sandbox ? 'eip155:84532' : 'eip155:8453')

/**
 * Makes the tree of managed addresses once: the seed stays sealed, its public key goes into the database, where
 * every act can derive addresses within its own transaction. Fills those of wallets made before the tree.
 */
export async function openKeyTree({ db, secrets, config }: Services): Promise<void> {
  if (await db.maybe(statements.keyTree())) return
  const { HDKey } = await loadKeys()
  const seed = await secrets.stored(db, 'wallets/seed', () => randomBytes(32).toString('hex'))
  await db.run(statements.insertKeyTree(HDKey.fromMasterSeed(Buffer.from(seed, 'hex')).derive(PATH).publicExtendedKey, networkOf(config.sandbox)))
  for (const { id, index } of await db.rows(statements.walletsWithoutAddress())) {
    const made = await managedAddress(db, index)
    if (made) await db.run(statements.setAddress(id, made.address, made.network))
  }
}

/** The managed address of an index; undefined before the tree exists (first start of a new database). */
export async function managedAddress(q: Queryable, index: number): Promise<{ address: string; network: string } | undefined> {
  const tree = await q.maybe(statements.keyTree())
  if (!tree) return undefined
  const { HDKey, publicKeyToAddress } = await loadKeys()
  const child = HDKey.fromExtendedKey(tree.publicKey).deriveChild(index).publicKey
  if (!child) throw new Error('the key tree holds no public key')
  const point = ECDH.convertKey(Buffer.from(child), 'secp256k1', undefined, 'hex', 'uncompressed') as string
  return { address: publicKeyToAddress(`0x${point}`), network: tree.network }
}

/** Whether an address has a correct checksum (EIP-55), or is all lower case and has none. */
export async function isChecksummed(address: string): Promise<boolean> {
  const { isAddress } = await loadAddresses()
  return isAddress(address)
}

/** A caller's own address in checksum form; fault 400 when it is none or its checksum is wrong. */
export async function providedAddress(text: string | undefined): Promise<string> {
  const { getAddress, isAddress } = await loadAddresses()
  if (!text || !isAddress(text)) {
    throw fault(WALLETS.ADDRESS_INVALID, { hint: '0x and 40 hexadecimal digits, in lower case or with a correct checksum (EIP-55)' })
  }
  return getAddress(text)
}
