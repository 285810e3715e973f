import { accounts, lockBalances, post } from '#ledger'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { newId } from '#platform/id'
import type { Names } from '#platform/names'
import { managedAddress } from './addresses.ts'
import { forgetTexts } from './forget.ts'
import { WALLETS } from './faults.ts'
import * as statements from './sql.ts'
import type { Wallet } from './sql.ts'
import { walletViews } from './view.ts'
import { bothPurses, createWallet, demandWallet, isOrphan } from './wallet.ts'

/** Every account has a dollar wallet from its first moment. Follows `account.created`. */
export async function onAccountCreated(tx: Tx, fact: {
  accountId: string; walletType?: 'MANAGED' | 'PROVIDED'; walletAddress?: string
}): Promise<void> {
  await createWallet(tx, {
    ownerType: 'USER', ownerId: fact.accountId, accountId: fact.accountId, walletType: fact.walletType, cryptoAddress: fact.walletAddress,
  })
}

/** An organization has one too. Follows `organization.created`. */
export async function onOrganizationCreated(tx: Tx, { organizationId }: { organizationId: string }): Promise<void> {
  await createWallet(tx, { ownerType: 'ORGANIZATION', ownerId: organizationId, accountId: organizationId })
}

/**
 * What an account leaves behind waits among the unclaimed funds, test credit is taken back, and an address of its
 * own is forgotten. Follows `account.deleted`.
 */
export async function onAccountDeleted(tx: Tx, { accountId, names }: { accountId: string; names: Names }): Promise<void> {
  const wallets = await tx.rows(statements.walletsOfAccount(accountId))
  for (const wallet of wallets) await retire(tx, wallet)
  await forgetTexts(tx, { accountId, names, wallets })
}

/** The same of an organization whose last member is being deleted. Follows `organization.closed`. */
export async function onOrganizationClosed(tx: Tx, { organizationId }: { organizationId: string }): Promise<void> {
  for (const wallet of await tx.rows(statements.walletsOfOwner('ORGANIZATION', organizationId))) await retire(tx, wallet)
}

/** 409 while a wallet of the organization holds or has reserved anything. Subscribes to `organization.closing`. */
export async function requireNoMoneyOf(tx: Tx, { organizationId }: { organizationId: string }): Promise<void> {
  const wallets = await tx.rows(statements.walletsOfOwner('ORGANIZATION', organizationId))
  for (const wallet of wallets) await lockBalances(tx, bothPurses(wallet), wallet.currency)
  const full = (await walletViews(tx, wallets)).find(({ balance }) => Number(balance) > 0)
  if (full) throw fault(WALLETS.WALLET_NOT_EMPTY, { hint: `Transfer the ${full.balance} ${full.currency} of wallet ${full.id} first` })
}

async function retire(tx: Tx, wallet: Wallet): Promise<void> {
  await sweepOut(tx, wallet)
  if (wallet.walletType === 'PROVIDED') await replaceAddress(tx, wallet)
}

/** Money that comes to an account after its deletion, such as from an escrow that ran to its end, goes where the rest went. */
export async function sweepIfDeleted(tx: Tx, walletId: string): Promise<void> {
  const wallet = await demandWallet(tx, walletId)
  if (await isOrphan(tx, wallet)) await sweepOut(tx, wallet)
}

async function sweepOut(tx: Tx, wallet: Wallet): Promise<void> {
  const { id, currency: asset, accountId } = wallet
  const closed = wallet.ownerType === 'ORGANIZATION'
  const balances = await lockBalances(tx, bothPurses(wallet), asset)
  const legs = [[accounts.wallet(id), accounts.unclaimed], [accounts.testPurse(id), accounts.testFloat]] as const
  const full = legs.map(([debit, credit]) => ({ debit, credit, asset, amount: balances.get(debit) ?? 0n })).filter(leg => leg.amount > 0n)
  if (full.length) await post(tx, {
    kind: closed ? 'organization_closed' : 'account_deleted', key: `account-deleted/${id}/${newId()}`,
    reference: { walletId: id, [closed ? 'organizationId' : 'accountId']: accountId }, legs: full,
  })
}

async function replaceAddress(tx: Tx, { id }: Wallet): Promise<void> {
  const { index } = await tx.one(statements.nextAddressIndex())
  const made = await managedAddress(tx, index)
  await tx.run(statements.makeManaged(id, { index, address: made?.address ?? null, network: made?.network ?? null }, tx.now))
}
