import type { LedgerCheck, Scope } from '#platform/kernel/ledger-check'
import { part, type SqlPart } from '#platform/kernel/sql'

/** The runs that a check looks at: those whose escrows its journals touch, once all that hold money, in a full run all. */
function inScope({ journals, last, full }: Scope): SqlPart {
  if (last && full) return part`true`
  const touched = part`r.escrow_id in (select substr(x.account, 6)::uuid from ledger_entry x
    where x.journal_id in (${journals}) and x.account like '2020:%')`
  return last ? part`(${touched} or r.payment = 'HELD')` : touched
}

/** What the books must say of runs: each is paid at most once, and only if it succeeded. */
export const runChecks: readonly LedgerCheck[] = [
  {
    name: 'the payment of a run is what its escrow says',
    statement: scope => part`
      select 'run ' || r.id || ' (' || r.status || ') says ' || r.payment || ', escrow ' || e.id || ' is ' || e.status as finding
      from runs_run r join ap2_escrow e on e.id = r.escrow_id
      where ${inScope(scope)} and r.payment <> case when e.status in ('HELD', 'DISPUTED', 'FROZEN') then 'HELD' else e.status end`,
  },
  {
    name: 'an ended run is paid if it succeeded and refunded otherwise, unless an operator decided',
    statement: scope => part`
      select 'run ' || r.id || ' is ' || r.status || ', its escrow ' || e.status as finding
      from runs_run r join ap2_escrow e on e.id = r.escrow_id
      where ${inScope(scope)} and r.ended_at is not null and e.ended_at is not null
        and (r.status = 'SUCCEEDED') <> (e.status = 'RELEASED')
        and not exists (select from ap2_escrow_history h where h.subject_id = e.id and h.actor in ('operator', 'processor'))`,
  },
  {
    name: 'an ended run with money in its escrow is due to be paid or refunded',
    statement: scope => part`
      select 'run ' || r.id || ' is ' || r.status || ', and its escrow holds money without a time to settle it' as finding
      from runs_run r
      where ${inScope(scope)} and r.ended_at is not null and r.payment = 'HELD' and r.payment_due_at is null`,
  },
  {
    name: 'the deal of a run has a run',
    statement: ({ last, full }) => part`
      select 'negotiation ' || n.id || ' is of a run that does not exist' as finding
      from ap2_negotiation n where ${last && full} and n.is_run
        and not exists (select from runs_run r where r.negotiation_id = n.id and r.price = n.price)`,
  },
]
