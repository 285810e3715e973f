import { accounts, ledgerOwners, lockBalances, post } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { managedAddress } from './addresses.ts'
import { WALLETS } from './errors.ts'
import * as statements from './sql.ts'
import type { Wallet } from './sql.ts'
import { walletViews } from './view.ts'
import { activeVoucherOfAccount, eraseNotes } from './vouchers/sql.ts'
import { subAccounts, isOrphan, requireWallet } from './wallet.ts'

export { isAnyOrphan, walletsOfOwners } from './sql.ts'

/**
 * Empties the wallets of accounts and organizations that are being deleted: money goes to the unclaimed funds, test credit
 * is taken back, and an address that the owner provided is replaced. Vouchers stay valid until they expire, without their
 * notes.
 */
export async function closeWalletsOf(tx: Tx, owners: readonly string[]): Promise<void> {
  // First, because vouchers are locked before ledger accounts.
  await tx.run(eraseNotes(owners))
  for (const owner of owners)
    for (const wallet of await tx.rows(statements.walletsOfAccount(owner))) {
      await sweepOut(tx, wallet)
      // The wallet is empty: a freeze would protect nothing, and would refuse settlements that pay the deleted owner later.
      await ledgerOwners.unfreezeClosedAccounts(tx, subAccounts(wallet), wallet.currency)
      if (wallet.walletType === 'PROVIDED') await replaceAddress(tx, wallet)
    }
}

/** Locks the balances of an organization: 409 while one of its wallets or vouchers holds or has reserved anything. */
export async function requireEmptyWallets(tx: Tx, organizationId: string): Promise<void> {
  const wallets = await tx.rows(statements.walletsOfAccount(organizationId))
  for (const wallet of wallets) await lockBalances(tx, subAccounts(wallet), wallet.currency)
  const full = (await walletViews(tx, wallets)).find(({ balance }) => Number(balance) > 0)
  if (full)
    throw apiError(WALLETS.WALLET_NOT_EMPTY, {
      hint: `Transfer the ${full.balance} ${full.currency} of wallet ${full.id} first`,
    })
  const voucher = await tx.maybe(activeVoucherOfAccount(organizationId))
  if (voucher)
    throw apiError(WALLETS.WALLET_NOT_EMPTY, {
      hint: `Cancel the vouchers of wallet ${voucher.walletId} first`,
    })
}

/** Sweeps money that a wallet received after the deletion of its owner, such as from an escrow. */
export async function sweepIfDeleted(tx: Tx, walletId: string): Promise<void> {
  const wallet = await requireWallet(tx, walletId)
  if (await isOrphan(tx, wallet)) await sweepOut(tx, wallet)
}

async function sweepOut(tx: Tx, wallet: Wallet): Promise<void> {
  const { id, currency: asset, accountId } = wallet
  const closed = wallet.ownerType === 'ORGANIZATION'
  const balances = await lockBalances(tx, subAccounts(wallet), asset)
  const legs = [
    [accounts.wallet(id), accounts.unclaimed],
    [accounts.testCredit(id), accounts.testFloat],
  ] as const
  const full = legs
    .map(([debit, credit]) => ({ debit, credit, asset, amount: balances.get(debit) ?? 0n }))
    .filter(leg => leg.amount > 0n)
  if (full.length)
    await post(tx, {
      kind: closed ? 'organization_closed' : 'account_deleted',
      key: `account-deleted/${id}/${newId()}`,
      reference: { walletId: id, [closed ? 'organizationId' : 'accountId']: accountId },
      legs: full,
    })
}

async function replaceAddress(tx: Tx, { id }: Wallet): Promise<void> {
  const { index } = await tx.one(statements.nextAddressIndex())
  const made = await managedAddress(tx, index)
  await tx.run(
    statements.makeManaged(
      id,
      { index, address: made?.address ?? null, network: made?.network ?? null },
      tx.now,
    ),
  )
}
