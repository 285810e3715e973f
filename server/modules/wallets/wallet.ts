import { accountById, actsForOrganization, openOrganization } from '#identity'
import { accounts, lockBalances, openAccounts } from '#ledger'
import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { isId, newId } from '#platform/id'
import type { Asset } from '#platform/money'
import { managedAddress, providedAddress } from './addresses.ts'
import { WALLETS } from './faults.ts'
import * as statements from './sql.ts'
import type { OwnerType, Wallet, WalletType } from './sql.ts'

export interface NewWallet {
  ownerType: OwnerType
  ownerId: string
  /** The account that may use it; an organization's own id. */
  accountId: string
  currency?: Asset
  walletType?: WalletType
  cryptoAddress?: string
  /** Without it: default when the owner has none of this currency yet. */
  isDefault?: boolean
}

/** A wallet with its ledger accounts. Fault 400 for an address that is none, 409 for a second default. */
export async function createWallet(tx: Tx, input: NewWallet): Promise<Wallet> {
  const { ownerType, ownerId, accountId, currency = 'USD', walletType = input.cryptoAddress ? 'PROVIDED' : 'MANAGED' } = input
  await tx.run(statements.lockOwner(ownerType, ownerId))
  const wallet = await tx.one(statements.insertWallet({
    id: newId(), ownerType, ownerId, accountId, currency, walletType, isDefault: input.isDefault ?? null, createdAt: tx.now,
    ...await addressOf(tx, walletType, input.cryptoAddress),
  }))
  await openAccounts(tx, bothPurses(wallet).map(account => ({ account, asset: currency })))
  return wallet
}

async function addressOf(tx: Tx, walletType: WalletType, given: string | undefined) {
  if (walletType === 'PROVIDED') {
    const tree = await tx.maybe(statements.keyTree())
    return { cryptoAddress: await providedAddress(given), cryptoNetwork: tree?.network ?? null, addressIndex: null }
  }
  const { index } = await tx.one(statements.nextAddressIndex())
  const made = await managedAddress(tx, index)
  return { cryptoAddress: made?.address ?? null, cryptoNetwork: made?.network ?? null, addressIndex: index }
}

export const walletById = async (q: Queryable, id: string): Promise<Wallet | undefined> => (isId(id) ? q.maybe(statements.walletById(id)) : undefined)

/** The owner's default wallet of a currency; dollars unless asked otherwise. */
export const defaultWallet = async (q: Queryable, ownerType: OwnerType, ownerId: string, currency: Asset = 'USD'): Promise<Wallet | undefined> =>
  (isId(ownerId) ? q.maybe(statements.defaultWallet(ownerType, ownerId, currency)) : undefined)

export async function demandWallet(q: Queryable, walletId: string): Promise<Wallet> {
  const wallet = await walletById(q, walletId)
  if (!wallet) throw fault(WALLETS.WALLET_NOT_FOUND)
  return wallet
}

/** A wallet that may receive: that of a deleted account is gone for everybody, or money would strand on it. */
export async function demandReceivingWallet(q: Queryable, walletId: string): Promise<Wallet> {
  const wallet = await demandWallet(q, walletId)
  await demandKept(q, wallet)
  return wallet
}

/**
 * A wallet that is to be credited, its balances locked: its owner stays until the transaction ends. Errors: 404 for an
 * unknown wallet or a deleted owner, 400 for another currency than `asset` (any by default).
 */
export async function lockToCredit(tx: Tx, walletId: string, asset?: Asset): Promise<Wallet> {
  const wallet = await demandWallet(tx, walletId)
  if (asset && wallet.currency !== asset) throw fault(WALLETS.CURRENCY_MISMATCH, { hint: `This wallet holds ${wallet.currency}, not ${asset}` })
  await lockBalances(tx, bothPurses(wallet), wallet.currency)
  await demandKept(tx, wallet)
  return wallet
}

/** 404 for a wallet whose owner is gone. While its balances are locked the answer holds: a deletion sweeps them first. */
export async function demandKept(q: Queryable, wallet: Wallet): Promise<void> {
  if (await isOrphan(q, wallet)) throw fault(WALLETS.WALLET_NOT_FOUND, { hint: 'The account of its owner has been deleted' })
}

/** Whether the account behind it was deleted, or its organization closed. */
export async function isOrphan(q: Queryable, { ownerType, ownerId, accountId }: Wallet): Promise<boolean> {
  if (ownerType === 'ORGANIZATION') return !await openOrganization(q, ownerId)
  return (await accountById(q, accountId))?.status === 'DELETED'
}

/** The wallet, when the caller may spend from it or, asked so, read it: 404 when there is none, 403 else. */
export async function demandOwnWallet(q: Queryable, actor: Actor, walletId: string, use: Use = 'spend'): Promise<Wallet> {
  const wallet = await demandWallet(q, walletId)
  if (!await mayUse(q, actor, wallet, use)) throw fault(COMMON.FORBIDDEN, { hint: 'The wallet belongs to another account' })
  return wallet
}

export type Use = 'read' | 'spend'

/**
 * The one rule of who may use a wallet: its account, and no key of it that is bound to something else; of an
 * organization its members, as their roles say now.
 */
export async function mayUse(q: Queryable, actor: Actor, { ownerType, ownerId, accountId }: Wallet, use: Use): Promise<boolean> {
  if (ownerType === 'ORGANIZATION') return actsForOrganization(q, actor, ownerId, use)
  if (actor.organizationId !== null || accountId !== actor.accountId) return false
  return actor.agentId === null || (ownerType === 'AGENT' && ownerId === actor.agentId)
}

/**
 * The purse that pays `amount`: the test purse when it covers all of it, else the real one, whose shortage the
 * ledger refuses (400 `Insufficient balance`). Both stay locked until the transaction ends.
 */
export async function chooseDebit(tx: Tx, wallet: Wallet, amount: bigint): Promise<{ account: string; test: boolean }> {
  const balances = await lockBalances(tx, bothPurses(wallet), wallet.currency)
  const test = (balances.get(accounts.testPurse(wallet.id)) ?? 0n) >= amount
  return { account: creditAccount(wallet, test), test }
}

/** Where money that arrives goes: real and test money never mix. */
export const creditAccount = (wallet: Pick<Wallet, 'id'>, test: boolean): string => (test ? accounts.testPurse(wallet.id) : accounts.wallet(wallet.id))

export const bothPurses = (wallet: Pick<Wallet, 'id'>): string[] => [accounts.wallet(wallet.id), accounts.testPurse(wallet.id)]

export const isTestPurse = (account: string): boolean => account.startsWith(accounts.testPurse(''))

/** Gives all wallets of an owner to another account, such as the human who claimed the agent. */
export async function setWalletController(tx: Tx, ownerType: OwnerType, ownerId: string, accountId: string): Promise<void> {
  await tx.run(statements.setController(ownerType, ownerId, accountId, tx.now))
}
