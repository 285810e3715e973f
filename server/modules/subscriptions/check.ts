import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

/** Consistency rules of subscriptions and their ledger accounts (2130). */
export const subscriptionChecks: readonly LedgerCheck[] = [
  {
    name: 'deferred revenue is what paid invoices have not earned',
    statement: ({
      journals,
    }) => part`select 'account ' || a.account || ' holds ' || coalesce(b.balance, 0) || ', its invoices say ' || coalesce(i.deferred, 0) as finding
      from (select distinct account from ledger_entry where journal_id in (${journals}) and account ~ '^2130:') a
        left join ledger_balance b on b.account = a.account and b.asset = 'USD'
        left join lateral (select sum(amount - recognized - returned) as deferred from subscriptions_invoice
          where subscription_id::text = substr(a.account, 6) and status = 'PAID') i on true
      where coalesce(b.balance, 0) <> coalesce(i.deferred, 0)`,
  },
  {
    name: 'every paid invoice has its journal',
    statement: ({
      last,
      full,
    }) => part`select 'invoice ' || i.id || ' is paid and has no journal of its amount' as finding
      from subscriptions_invoice i
        left join ledger_journal j on j.key = case i.rail when 'wallet' then 'invoice/' || i.id || '/paid' else 'payment/' || i.payment_id end
      where ${last && full} and i.status = 'PAID' and not coalesce(exists (select from jsonb_array_elements(j.legs) as leg
        where leg->>1 = '2130:' || i.subscription_id and leg->>2 = 'USD' and leg->>3 = i.amount::text), false)`,
  },
]
