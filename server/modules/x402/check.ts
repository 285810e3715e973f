import type { LedgerCheck } from '#platform/kernel/ledger-check'
import { part } from '#platform/kernel/sql'

const key = part`'x402/' || t.network || '/' || t.tx_hash || '/' || t.log_index`

/** What the books must say of money on the chain. */
export const x402Checks: readonly LedgerCheck[] = [
  {
    name: 'money from the chain is one final transfer of that amount',
    statement: ({
      journals,
    }) => part`select 'journal ' || j.id || ' (' || j.kind || ') has no final transfer of its amount' as finding
      from ledger_journal j left join x402_transfer t on j.key = ${key} and t.journal_id = j.id and t.status = 'FINAL'
      where j.id in (${journals}) and j.kind not in ('x402_suspense_returned', 'payout_paid')
        and exists (select from jsonb_array_elements(j.legs) as leg where leg->>0 like '1030:%' and leg->>2 = 'USDC')
        and (t.id is null or t.amount <> (select sum((leg->>3)::numeric) from jsonb_array_elements(j.legs) as leg where leg->>0 like '1030:%'))
     `,
  },
  {
    name: 'every final payment to an address of ours has its journal',
    statement: ({
      last,
      full,
    }) => part`select 'x402 payment ' || p.id || ' is final and has no journal' as finding
      from x402_payment p where ${last && full} and p.status in ('FINAL', 'LATE') and p.holder <> 'PROVIDED'
        and not exists (select from ledger_journal j where j.id = p.journal_id and j.kind = 'x402_payment')`,
  },
]
