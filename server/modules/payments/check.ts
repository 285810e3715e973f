import type { LedgerCheck } from '#ledger'
import { part, sql } from '#platform/sql'

// What the payment was for, as its journal must have posted it.
const paid = part`exists (select from jsonb_array_elements(j.legs) as leg where leg->>0 = '1010' and leg->>2 = i.currency and leg->>3 = i.amount::text
  and (i.purpose <> 'WALLET_FUNDING' or leg->>1 = '2010:' || i.reference))`

/** What the books must say of card payments. */
export const paymentChecks: readonly LedgerCheck[] = [
  {
    name: 'every fund journal has one confirmed payment of that amount',
    statement: ({ journals }) => sql`select 'fund journal ' || j.id || case when i.id is null then ' has no confirmed payment' else ' is not what payment ' || i.id || ' says' end as fault
      from ledger_journal j left join payments_intent i on i.journal_id = j.id and i.status = 'SUCCEEDED'
      where j.id in (${journals}) and j.kind = 'fund' and (i.id is null or j.key <> 'payment/' || i.id or not ${paid}) limit 20`,
  },
  {
    name: 'every suspense journal has its item',
    statement: ({ journals }) => sql`select 'suspense journal ' || j.id || ' has no item of its amount' as fault
      from ledger_journal j left join payments_suspense s on j.key = 'suspense/' || s.processor_id and s.booked
      where j.id in (${journals}) and j.kind = 'suspense' and not coalesce(j.legs->0 = jsonb_build_array('1010', '2070', 'USD', (s.cents * 10000)::text), false) limit 20`,
  },
  {
    // All that enters the books from the card processor; payouts that come back will add their kind.
    name: 'money from the processor is a payment or in suspense',
    statement: ({ journals }) => sql`select 'journal ' || j.id || ' (' || j.kind || ') takes money from the processor' as fault
      from ledger_journal j where j.id in (${journals}) and j.kind not in ('fund', 'suspense')
        and exists (select from jsonb_array_elements(j.legs) as leg where leg->>0 = '1010') limit 20`,
  },
  {
    name: 'every confirmed payment has its journal',
    statement: ({ last, full }) => sql`select 'payment ' || i.id || ' is confirmed and has no fund journal' as fault
      from payments_intent i where ${last && full} and i.status = 'SUCCEEDED'
        and not exists (select from ledger_journal j where j.id = i.journal_id and j.kind = 'fund') limit 20`,
  },
]
