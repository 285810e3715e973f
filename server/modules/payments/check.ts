import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

// What the payment was for, as its journal must have posted it.
const paid = part`exists (select from jsonb_array_elements(j.legs) as leg where leg->>0 = '1010' and leg->>2 = i.currency and leg->>3 = i.amount::text
  and (case i.purpose when 'WALLET_FUNDING' then leg->>1 = '2010:' || i.reference
  when 'ROUTING' then leg->>1 = '2040:' || i.reference or leg->>1 ~ '^2010:' else true end))`

/** What the books must say of card payments. */
export const paymentChecks: readonly LedgerCheck[] = [
  {
    name: 'every fund journal has one confirmed payment of that amount',
    statement: ({
      journals,
    }) => part`select 'fund journal ' || j.id || case when i.id is null then ' has no confirmed payment' else ' is not what payment ' || i.id || ' says' end as finding
      from ledger_journal j left join payments_intent i on i.journal_id = j.id and i.status = 'SUCCEEDED'
      where j.id in (${journals}) and j.kind = 'fund' and (i.id is null or j.key <> 'payment/' || i.id or not ${paid})`,
  },
  {
    name: 'every suspense journal has its item',
    statement: ({
      journals,
    }) => part`select 'suspense journal ' || j.id || ' has no item of its amount' as finding
      from ledger_journal j left join payments_suspense s on j.key = 'suspense/' || s.processor_id and s.booked
      where j.id in (${journals}) and j.kind = 'suspense' and not coalesce(j.legs->0 = jsonb_build_array('1010', '2070', 'USD', (s.cents * 10000)::text), false)`,
  },
  {
    // All that enters the books from the card processor: payouts that come back included, and what a chargeback returns.
    name: 'money from the processor is a payment or in suspense',
    statement: ({
      journals,
    }) => part`select 'journal ' || j.id || ' (' || j.kind || ') takes money from the processor' as finding
      from ledger_journal j where j.id in (${journals}) and j.kind not in ('fund', 'suspense', 'payout_returned', 'refund_failed', 'chargeback_opened', 'chargeback_won', 'chargeback_lost')
        and exists (select from jsonb_array_elements(j.legs) as leg where leg->>0 = '1010')`,
  },
  {
    name: 'money that goes back to a card has its refund, and a refund that failed came back',
    statement: ({
      journals,
    }) => part`select 'journal ' || j.id || ' (' || j.kind || ') has no refund of ' || l.sum as finding
      from ledger_journal j, lateral (select sum((leg->>3)::numeric) as sum from jsonb_array_elements(j.legs) as leg
        where case j.kind when 'refund_failed' then leg->>0 = '1010' else leg->>0 like '2020:%' and leg->>1 = '1010' end) l
      where j.id in (${journals}) and l.sum > 0 and not exists (select from payments_refund r
        where r.amount = l.sum and j.id = case j.kind when 'refund_failed' then r.return_journal_id else r.journal_id end)`,
  },
  {
    name: 'every confirmed payment has its journal',
    statement: ({
      last,
      full,
    }) => part`select 'payment ' || i.id || ' is confirmed and has no fund journal' as finding
      from payments_intent i where ${last && full} and i.status = 'SUCCEEDED'
        and not exists (select from ledger_journal j where j.id = i.journal_id and j.kind = 'fund')`,
  },
  {
    name: 'every chargeback has its journals',
    statement: ({
      last,
      full,
    }) => part`select 'chargeback ' || c.id || ' (' || c.status || ') is not what its journals say' as finding
      from payments_chargeback c left join ledger_journal o on o.id = c.opened_journal_id left join ledger_journal e on e.id = c.closed_journal_id
      where ${last && full} and (o.legs->0 is distinct from jsonb_build_array('1040', '1010', 'USD', (c.cents * 10000)::text)
        or e.kind is distinct from case c.status when 'WON' then 'chargeback_won' when 'LOST' then 'chargeback_lost' end)`,
  },
  {
    name: 'chargebacks in progress are what the processor account lacks',
    statement: ({
      last,
    }) => part`select 'account 1040 holds ' || books.total || ', open chargebacks sum to ' || open.total as finding
      from (select coalesce(sum(amount), 0) as total from ledger_entry where account = '1040') books,
        (select coalesce(-sum(cents) * 10000, 0) as total from payments_chargeback where closed_at is null) open
      where ${last} and books.total <> open.total`,
  },
  {
    name: 'what somebody owes is what its receivables say',
    statement: ({
      last,
    }) => part`select 'account ' || coalesce(books.account, '1050:' || owed.owner_id) || ' holds ' || coalesce(books.total, 0) || ', its receivables sum to ' || coalesce(owed.total, 0) as finding
      from (select account, asset, -sum(amount) as total from ledger_entry where account like '1050:%' group by account, asset) books
        full join (select owner_id, asset, sum(amount - recovered - written_off) as total from payments_receivable group by owner_id, asset) owed
          on books.account = '1050:' || owed.owner_id and books.asset = owed.asset
      where ${last} and coalesce(books.total, 0) <> coalesce(owed.total, 0)`,
  },
  {
    name: 'a wallet, a subscription or a routing balance is frozen only while a chargeback of its money is open',
    statement: ({
      last,
    }) => part`select 'account ' || b.account || ' has the freezes ' || b.freezes::text as finding
      from ledger_balance b where ${last} and b.account ~ '^(?:2010|2040|2130):' and cardinality(b.freezes) > 0 and exists (
        select from unnest(b.freezes) as frozen (why)
        where not exists (select from payments_chargeback c where frozen.why = 'chargeback:' || c.dispute_id and c.closed_at is null))`,
  },
]
