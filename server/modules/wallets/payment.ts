import { accounts, lockBalancesAmong } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import { part, type SqlPart } from '#platform/kernel/sql'
import * as statements from './sql.ts'
import type { Wallet } from './sql.ts'

/** Which wallets a payment may need, with subqueries, so that they can be read before their ids are known. */
export interface PaymentParties {
  /** The wallet that pays: its id, or an owner (`type`, `id`) whose default wallet of a currency pays. */
  source: { walletId: string } | { owner: SqlPart; currency: SqlPart }
  /** Owners (`type`, `id`) whose default wallets are candidates. */
  owners: SqlPart
}

/** The wallet that pays, as a subquery of its id. */
const idOf = (source: PaymentParties['source']): SqlPart =>
  'walletId' in source
    ? part`select ${isId(source.walletId) ? source.walletId : null}::uuid`
    : part`select w.id from wallets_wallet w, (${source.owner}) o (type, id)
  where w.owner_type = o.type and w.owner_id = o.id and w.currency = (${source.currency}) and w.is_default`

/** The wallets of a payment and the balances of the one that pays, which are locked. */
export async function lockPayment(
  tx: Tx,
  { source, owners }: PaymentParties,
): Promise<{ wallets: Wallet[]; balances: ReadonlyMap<string, bigint> }> {
  const payer = idOf(source)
  const subAccounts = part`select prefix || s.id from (${payer}) s (id),
    (values (${accounts.wallet('')}), (${accounts.testCredit('')})) p (prefix)`
  const [wallets, balances] = await Promise.all([
    tx.rows(statements.walletsAmong(payer, owners)),
    lockBalancesAmong(tx, subAccounts),
  ])
  return { wallets, balances }
}
