import { accountById, organizations } from '#identity'
import { accounts, lockBalances, openAccounts } from '#ledger'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { boundAgent, boundOrganization, type RequestContext } from '#platform/http/principal'
import { isId, newId } from '#platform/kernel/id'
import type { Asset } from '#platform/kernel/money'
import { managedAddress, outsideAddress } from './addresses.ts'
import { WALLETS } from './errors.ts'
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

/**
 * Creates a wallet with its ledger accounts. ApiErrors: 400 for an invalid address or one that the service holds, 409 for a
 * second default.
 */
export async function createWallet(tx: Tx, input: NewWallet): Promise<Wallet> {
  const {
    ownerType,
    ownerId,
    accountId,
    currency = 'USD',
    walletType = input.cryptoAddress ? 'PROVIDED' : 'MANAGED',
  } = input
  await tx.run(statements.lockOwner(ownerType, ownerId))
  const wallet = await tx.one(
    statements.insertWallet({
      id: newId(),
      ownerType,
      ownerId,
      accountId,
      currency,
      walletType,
      isDefault: input.isDefault ?? null,
      createdAt: tx.now,
      ...(await addressOf(tx, walletType, input.cryptoAddress)),
    }),
  )
  await openAccounts(
    tx,
    subAccounts(wallet).map(account => ({ account, asset: currency })),
  )
  return wallet
}

async function addressOf(tx: Tx, walletType: WalletType, given: string | undefined) {
  if (walletType === 'PROVIDED') {
    const tree = await tx.maybe(statements.keyTree())
    return {
      cryptoAddress: await outsideAddress(tx, given),
      cryptoNetwork: tree?.network ?? null,
      addressIndex: null,
    }
  }
  const { index } = await tx.one(statements.nextAddressIndex())
  const made = await managedAddress(tx, index)
  return { cryptoAddress: made?.address ?? null, cryptoNetwork: made?.network ?? null, addressIndex: index }
}

/** The default wallet of a currency of the same owner; created when it is missing, such as for the first USDC. */
export async function openWallet(
  tx: Tx,
  { ownerType, ownerId, accountId }: Pick<Wallet, 'ownerType' | 'ownerId' | 'accountId'>,
  currency: Asset,
): Promise<Wallet> {
  await tx.run(statements.lockOwner(ownerType, ownerId))
  const existing = await defaultWallet(tx, ownerType, ownerId, currency)
  return existing ?? createWallet(tx, { ownerType, ownerId, accountId, currency, walletType: 'MANAGED' })
}

/** The owner's default wallet of a currency; dollars unless asked otherwise. */
export const defaultWallet = async (
  q: Queryable,
  ownerType: OwnerType,
  ownerId: string,
  currency: Asset = 'USD',
): Promise<Wallet | undefined> =>
  isId(ownerId) ? q.maybe(statements.defaultWallet(ownerType, ownerId, currency)) : undefined

export async function requireWallet(q: Queryable, walletId: string): Promise<Wallet> {
  const wallet = isId(walletId) ? await q.maybe(statements.walletById(walletId)) : undefined
  if (!wallet) throw apiError(WALLETS.WALLET_NOT_FOUND)
  return wallet
}

/** A wallet that may receive: that of a deleted account is gone for everybody, or money would strand on it. */
export async function requireReceivingWallet(q: Queryable, walletId: string): Promise<Wallet> {
  const wallet = await requireWallet(q, walletId)
  await requireStored(q, wallet)
  return wallet
}

/**
 * A wallet that is to be credited, its balances locked: its owner stays until the transaction ends. Errors: 404 for an
 * unknown wallet or a deleted owner, 400 for another currency than `asset` (any by default).
 */
export async function lockToCredit(tx: Tx, walletId: string, asset?: Asset): Promise<Wallet> {
  const wallet = await requireWallet(tx, walletId)
  if (asset && wallet.currency !== asset)
    throw apiError(WALLETS.CURRENCY_MISMATCH, { hint: `This wallet holds ${wallet.currency}, not ${asset}` })
  await lockBalances(tx, subAccounts(wallet), wallet.currency)
  await requireStored(tx, wallet)
  return wallet
}

/** 404 for a wallet whose owner is gone. While its balances are locked the answer holds: a deletion sweeps them first. */
export async function requireStored(q: Queryable, wallet: Wallet): Promise<void> {
  if (await isOrphan(q, wallet))
    throw apiError(WALLETS.WALLET_NOT_FOUND, { hint: 'The account of its owner has been deleted' })
}

/** Whether the account behind it was deleted, or its organization closed. */
export async function isOrphan(q: Queryable, { ownerType, ownerId, accountId }: Wallet): Promise<boolean> {
  if (ownerType === 'ORGANIZATION') return !(await organizations.openOrganization(q, ownerId))
  return (await accountById(q, accountId))?.status === 'DELETED'
}

/** A wallet, loaded or by its id, that the caller may use. Errors: 404 if it does not exist, 403 if the caller may not. */
export async function requireOwnWallet(
  q: Queryable,
  ctx: RequestContext,
  walletOrId: Wallet | string,
  use: Use = 'spend',
): Promise<Wallet> {
  const wallet = typeof walletOrId === 'string' ? await requireWallet(q, walletOrId) : walletOrId
  if (!(await mayUse(q, ctx, wallet, use)))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The wallet belongs to another account' })
  return wallet
}

export type Use = 'read' | 'spend'

/**
 * The only rule about the use of a wallet: its account, and no key of it that is bound to something else; of an
 * organization its members, as their roles say now.
 */
export async function mayUse(
  q: Queryable,
  ctx: RequestContext,
  { ownerType, ownerId, accountId }: Wallet,
  use: Use,
): Promise<boolean> {
  if (ownerType === 'ORGANIZATION') return organizations.actsForOrganization(q, ctx, ownerId, use)
  const { principal } = ctx
  if (boundOrganization(principal) !== null || accountId !== principal.accountId) return false
  const agentId = boundAgent(principal)
  return agentId === null || (ownerType === 'AGENT' && ownerId === agentId)
}

/**
 * The sub-account that pays `amount`, from balances that stay locked until the transaction ends: test credit if it covers all
 * of it, else real money, whose shortage the ledger refuses (400 `Insufficient balance`).
 */
export function debitAccountOf(
  wallet: Wallet,
  amount: bigint,
  balances: ReadonlyMap<string, bigint>,
): { account: string; test: boolean } {
  const test = (balances.get(accounts.testCredit(wallet.id)) ?? 0n) >= amount
  return { account: creditAccount(wallet, test), test }
}

/** Where money that arrives goes: real and test money never mix. */
export const creditAccount = (wallet: Pick<Wallet, 'id'>, test: boolean): string =>
  test ? accounts.testCredit(wallet.id) : accounts.wallet(wallet.id)

export const subAccounts = (wallet: Pick<Wallet, 'id'>): string[] => [
  accounts.wallet(wallet.id),
  accounts.testCredit(wallet.id),
]

export const isTestCredit = (account: string): boolean => account.startsWith(accounts.testCredit(''))

/** Gives all wallets of an owner to another account, such as the human who claimed the agent. */
export async function setWalletController(
  tx: Tx,
  ownerType: OwnerType,
  ownerId: string,
  accountId: string,
): Promise<void> {
  await tx.run(statements.setController(ownerType, ownerId, accountId, tx.now))
}
