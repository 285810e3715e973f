import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

/** Consistency rules of wallets and the ledger. */
export const walletChecks: readonly LedgerCheck[] = [
  {
    name: 'every ledger account of a wallet belongs to a wallet of that currency',
    statement: ({
      journals,
    }) => part`select 'account ' || a.account || ' in ' || a.asset || case when w.id is null then ' has no wallet' else ': its wallet holds ' || w.currency end as finding
      from (select distinct account, asset from ledger_entry where journal_id in (${journals}) and account ~ '^201[01]:') a
        left join wallets_wallet w on w.id::text = substr(a.account, 6)
      where w.id is null or w.currency <> a.asset`,
  },
]
