import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

/** Consistency rules of vouchers and their ledger accounts (2030). */
export const voucherChecks: readonly LedgerCheck[] = [
  {
    name: 'the ledger account of a voucher holds its amount while it is ACTIVE',
    statement: ({
      journals,
    }) => part`select 'account ' || a.account || case when v.id is null then ' has no voucher' else ' does not hold what voucher ' || v.id || ' (' || v.status || ') says' end as finding
      from (select distinct account from ledger_entry where journal_id in (${journals}) and account ~ '^2030:') a
        left join wallets_voucher v on v.id::text = substr(a.account, 6)
        left join ledger_balance b on b.account = a.account and b.asset = v.currency
      where v.id is null or b.balance is distinct from case v.status when 'ACTIVE' then v.amount else 0 end`,
  },
  {
    name: 'every voucher has the journals of its state',
    statement: ({
      last,
      full,
    }) => part`select 'voucher ' || v.id || ' (' || v.status || ') lacks the journal ' || k.key as finding
      from wallets_voucher v cross join lateral (
        select 'voucher/' || v.id || '/create' as key, array['2010:' || v.wallet_id, '2030:' || v.id] as accounts
        union all select 'voucher/' || v.id || '/redeem', array['2030:' || v.id, null] where v.status = 'REDEEMED'
        union all select 'voucher/' || v.id || '/cancel', array['2030:' || v.id, '2010:' || v.wallet_id] where v.status = 'CANCELLED'
        union all select 'voucher/' || v.id || '/expire', array['2030:' || v.id, '2010:' || v.wallet_id] where v.status = 'EXPIRED'
      ) k left join ledger_journal j on j.key = k.key
      where ${last && full} and not coalesce(j.legs->0->>0 = k.accounts[1] and j.legs->0->>1 = coalesce(k.accounts[2], j.legs->0->>1)
        and j.legs->0->>2 = v.currency and j.legs->0->>3 = v.amount::text, false)`,
  },
]
