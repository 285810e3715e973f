import { balancesOf, lockBalances, lockBalancesAmong, openAccounts, post } from '#ledger'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import { part } from '#platform/kernel/sql'
import {
  creditAccount,
  debitAccountOf,
  lockPayment,
  requireOwnWallet,
  subAccounts,
  WALLETS,
  type Wallet,
} from '#wallets'
import { closeLeasesOf, leaseAccount, routingAccount } from '../close.ts'
import { deleteBudgetsOf, openLeasesOf } from '../sql.ts'
import { eraseUsageText } from '../usage-sql.ts'

export const ASSET = 'USD'

interface Transfer {
  amount: number | string
  /** The default wallet of the account without it. */
  walletId?: string
}

/**
 * Moves money from a wallet of the caller to its routing balance: test credit if that covers all of it, else real money. API
 * errors: 400 `Insufficient balance` or for another currency than USD, 403 for a wallet of another owner, 404 for an unknown one.
 */
export async function topUp(tx: Tx, ctx: RequestContext, input: Transfer) {
  const { accountId } = ctx.principal
  const amount = parseAmount(input.amount)
  const wallet = await ownWallet(tx, ctx, input.walletId)
  const routing = routingAccounts(accountId)
  await openAccounts(
    tx,
    routing.map(account => ({ account, asset: ASSET })),
  )
  const balances = await lockBalances(tx, [...subAccounts(wallet), ...routing], ASSET)
  const { account, test } = debitAccountOf(wallet, amount, balances)
  const legs = [{ debit: account, credit: routingAccount(accountId, test), amount, asset: ASSET } as const]
  const reference = { accountId, walletId: wallet.id }
  const { id } = await post(tx, { kind: 'routing_topup', key: `routing-topup/${newId()}`, reference, legs })
  const status = 'COMPLETED' as const
  const view = await balanceView(tx, accountId)
  return { id, status, amount: formatMoney(amount), test, walletId: wallet.id, ...view }
}

/**
 * Moves money of the routing balance back to a wallet of the caller, by the same rules. What an instance has reserved for
 * requests under way is not available.
 */
export async function withdraw(tx: Tx, ctx: RequestContext, input: Transfer) {
  const { accountId } = ctx.principal
  const amount = parseAmount(input.amount)
  const wallet = await ownWallet(tx, ctx, input.walletId)
  const routing = routingAccounts(accountId)
  await openAccounts(
    tx,
    routing.map(account => ({ account, asset: ASSET })),
  )
  const balances = await lockBalances(tx, [...subAccounts(wallet), ...routing], ASSET)
  const test = (balances.get(routingAccount(accountId, true)) ?? 0n) >= amount
  const id = await postReturn(tx, { accountId, wallet, sums: [{ test, amount }] })
  return { id, amount: formatMoney(amount), test, walletId: wallet.id, ...(await balanceView(tx, accountId)) }
}

async function ownWallet(tx: Tx, ctx: RequestContext, walletId: string | undefined): Promise<Wallet> {
  const wallet = walletId
    ? await requireOwnWallet(tx, ctx, walletId)
    : await defaultWalletOf(tx, ctx.principal.accountId)
  // Members of an organization could take its money for themselves.
  if (wallet.ownerType === 'ORGANIZATION')
    throw apiError(COMMON.FORBIDDEN, { hint: 'A routing balance is for wallets of its own account' })
  if (wallet.currency !== ASSET)
    throw apiError(WALLETS.CURRENCY_MISMATCH, {
      hint: `This wallet holds ${wallet.currency}, a routing balance USD`,
    })
  return wallet
}

/** The default dollar wallet of an account; its balances are locked. */
export async function defaultWalletOf(tx: Tx, accountId: string): Promise<Wallet> {
  const owner = part`select 'USER'::text, ${accountId}::uuid`
  const { wallets } = await lockPayment(tx, { source: { owner, currency: part`'USD'` }, owners: owner })
  const wallet = wallets.find(({ currency, isDefault }) => currency === ASSET && isDefault)
  if (!wallet) throw apiError(WALLETS.WALLET_NOT_FOUND)
  return wallet
}

const routingAccounts = (accountId: string): [real: string, test: string] => [
  routingAccount(accountId, false),
  routingAccount(accountId, true),
]

interface Return {
  accountId: string
  wallet: Pick<Wallet, 'id'>
  sums: readonly { test: boolean; amount: bigint }[]
}

async function postReturn(tx: Tx, { accountId, wallet, sums }: Return): Promise<string> {
  const { id } = await post(tx, {
    kind: 'routing_returned',
    key: `routing-returned/${newId()}`,
    reference: { accountId, walletId: wallet.id },
    legs: sums.map(({ test, amount }) => ({
      debit: routingAccount(accountId, test),
      credit: creditAccount(wallet, test),
      amount,
      asset: ASSET,
    })),
  })
  return id
}

/** The routing balance of an account: what is leased to instances belongs to it. */
export async function balanceView(q: Queryable, accountId: string) {
  const leases = await q.rows(openLeasesOf(accountId))
  const leased = leases.map(({ id, test }) => ({ test, account: leaseAccount(id, test) }))
  const routing = routingAccounts(accountId)
  const balances = await balancesOf(q, [...routing, ...leased.map(({ account }) => account)], ASSET)
  const leasedSum = (wanted: boolean) =>
    leased.reduce(
      (sum, { test, account }) => (test === wanted ? sum + (balances.get(account) ?? 0n) : sum),
      0n,
    )
  const [real, test] = [leasedSum(false), leasedSum(true)]
  return {
    currency: ASSET,
    balance: formatMoney((balances.get(routing[0]) ?? 0n) + real),
    leased: formatMoney(real),
    testCredit: formatMoney((balances.get(routing[1]) ?? 0n) + test),
    testCreditLeased: formatMoney(test),
  } as const
}

/** Micro-units of real money in the routing balance, with what is leased to instances. */
export async function realBalance(q: Queryable, accountId: string): Promise<bigint> {
  const leases = await q.rows(openLeasesOf(accountId))
  const leased = leases.filter(({ test }) => !test).map(({ id }) => leaseAccount(id, false))
  const balances = await balancesOf(q, [routingAccount(accountId, false), ...leased], ASSET)
  return [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
}

/**
 * Closes the leases of an account that is being deleted, returns its routing balance to its wallet, from where it leaves with the rest,
 * and erases what its callers wrote. Requests that are under way are borne by the platform.
 */
export async function eraseFundsOf(tx: Tx, accountId: string): Promise<void> {
  // Locks the wallet first, as a top-up does.
  const wallet = await defaultWalletOf(tx, accountId)
  await closeLeasesOf(tx, accountId, 'account')
  const balances = await lockBalancesAmong(tx, part`select unnest(${routingAccounts(accountId)}::text[])`)
  const sums = [false, true]
    .map(test => ({ test, amount: balances.get(routingAccount(accountId, test)) ?? 0n }))
    .filter(({ amount }) => amount > 0n)
  if (sums.length) await postReturn(tx, { accountId, wallet, sums })
  await tx.run(eraseUsageText(accountId))
  await tx.run(deleteBudgetsOf(accountId))
}
