import { accounts } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import type { Asset, Leg } from '#platform/kernel/money'
import { part, type SqlPart } from '#platform/kernel/sql'
import type { Wallet } from '#wallets'
import * as statements from './sql.ts'
import type { Receivable } from './sql.ts'

export type { Receivable }

/** What is still owed of a receivable, in micro-units. */
export const openOf = ({ amount, recovered, writtenOff }: Receivable): bigint =>
  amount - recovered - writtenOff

/**
 * What an account or organization owes in an asset, locked until the transaction ends. Both are subqueries, so that a
 * command can ask before it knows them.
 */
export const lockDebts = (tx: Tx, owner: SqlPart, asset: SqlPart): Promise<Receivable[]> =>
  tx.rows(statements.lockOpenReceivables(owner, asset))

/**
 * Takes what somebody owes out of the money that a journal brings to `account`, the oldest debt first: writes the debts,
 * and returns the leg for that journal. `debts` are those of one owner and locked (`lockDebts`).
 */
export function recoverDebts(
  tx: Tx,
  debts: readonly Receivable[],
  { account, atMost }: { account: string; atMost: bigint },
): Leg[] {
  let amount = 0n
  for (const debt of debts) {
    const share = min(openOf(debt), atMost - amount)
    if (share > 0n) tx.write(statements.addRecovered(debt.id, share))
    amount += share
  }
  const [first] = debts
  return first && amount > 0n
    ? [{ debit: account, credit: accounts.receivable(first.ownerId), amount, asset: first.asset }]
    : []
}

/** The same for money that comes back to a wallet, such as a payout or a refund: its owner may owe it by now. */
export async function recoverFromReturn(
  tx: Tx,
  { id, accountId, currency }: Pick<Wallet, 'id' | 'accountId' | 'currency'>,
  atMost: bigint,
): Promise<Leg[]> {
  const debts = await lockDebts(tx, part`${accountId}::uuid`, part`${currency}::text`)
  return recoverDebts(tx, debts, { account: accounts.wallet(id), atMost })
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export interface NewDebt {
  ownerId: string
  chargebackId: string | null
  asset: Asset
  amount: bigint
}

/** Records that somebody owes what a journal debits from its receivable account. */
export async function insertDebt(tx: Tx, debt: NewDebt): Promise<void> {
  await tx.run(statements.insertReceivable({ ...debt, id: newId(), createdAt: tx.now }))
}
