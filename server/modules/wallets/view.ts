import { accounts, ledgerOwners } from '#ledger'
import type { Queryable } from '#platform/kernel/db'
import { ASSETS, formatMoney, type Asset } from '#platform/kernel/money'
import { walletReservations } from './ports.ts'
import { subAccounts } from './wallet.ts'
import type { Wallet } from './sql.ts'

interface Sums {
  real: bigint
  test: bigint
  reserved: bigint
  isFrozen: boolean
}

/** The record of api.md: available = both sub-accounts, balance = available + reserved, withdrawable = real money only. */
export async function walletView(q: Queryable, wallet: Wallet) {
  const sums = await sumsOf(q, [wallet], wallet.currency)
  return record(wallet, sums.get(wallet.id))
}

/** Several at once, in the given order. */
export async function walletViews(q: Queryable, wallets: readonly Wallet[]) {
  const sums = new Map<string, Sums>()
  for (const asset of ASSETS) {
    const some = wallets.filter(wallet => wallet.currency === asset)
    if (some.length) for (const [id, each] of await sumsOf(q, some, asset)) sums.set(id, each)
  }
  return wallets.map(wallet => record(wallet, sums.get(wallet.id)))
}

async function sumsOf(q: Queryable, wallets: readonly Wallet[], asset: Asset): Promise<Map<string, Sums>> {
  const ids = wallets.map(wallet => wallet.id)
  const [balances, reservations] = await Promise.all([
    ledgerOwners.guardedBalancesOf(q, wallets.flatMap(subAccounts), asset),
    walletReservations.call(q, { walletIds: ids, asset }),
  ])
  const reserved = new Map<string, bigint>()
  for (const amounts of reservations)
    for (const [id, amount] of amounts) reserved.set(id, (reserved.get(id) ?? 0n) + amount)
  return new Map(
    ids.map(id => [
      id,
      {
        real: balances.get(accounts.wallet(id))?.balance ?? 0n,
        test: balances.get(accounts.testCredit(id))?.balance ?? 0n,
        reserved: reserved.get(id) ?? 0n,
        isFrozen: balances.get(accounts.wallet(id))?.isFrozen ?? false,
      },
    ]),
  )
}

const EMPTY: Sums = { real: 0n, test: 0n, reserved: 0n, isFrozen: false }

function record(wallet: Wallet, { real, test, reserved, isFrozen }: Sums = EMPTY) {
  const {
    id,
    ownerType,
    ownerId,
    currency,
    isDefault,
    status,
    walletType,
    cryptoAddress,
    cryptoNetwork,
    createdAt,
  } = wallet
  return {
    id,
    ownerType,
    ownerId,
    currency,
    isDefault,
    balance: formatMoney(real + test + reserved),
    reserved: formatMoney(reserved),
    available: formatMoney(real + test),
    withdrawable: formatMoney(real),
    testBalance: formatMoney(test),
    isFrozen,
    status,
    walletType,
    cryptoAddress,
    cryptoNetwork,
    createdAt: createdAt.toISOString(),
  }
}
