import type { Tx } from '#platform/kernel/db'
import type { Log } from '#platform/adapters/log/log'
import type { ModuleMetrics } from '#platform/kernel/module'
import { formatMoney } from '#platform/kernel/money'
import { part, sql } from '#platform/kernel/sql'
import type { Timer } from '#platform/kernel/background/timers'
import { heldOf, type EscrowRow } from '../deal/rows.ts'

const lock = (id: string) => sql`select from ap2_escrow where id = ${id} for update`

const dueReport = (id: string, now: Date) => sql<EscrowRow>`
  select e.* from ap2_escrow e join ap2_frozen_due d on d.id = e.id where e.id = ${id} and d.due_at <= ${now}`

const reported = (id: string, now: Date) => sql`
  insert into ap2_frozen_report (escrow_id, reported_at) values (${id}, ${now})
  on conflict (escrow_id) do update set reported_at = excluded.reported_at`

/** Reports an escrow that stands FROZEN for seven days to the log, and once a day from then on. */
export const frozenReport = (log: Log): Timer => ({
  name: 'frozen escrow',
  table: 'ap2_frozen_due',
  column: 'due_at',
  where: part`true`,
  run: (tx, id) => report(tx, log, id),
})

async function report(tx: Tx, log: Log, id: string): Promise<void> {
  // Looked at only once it is locked: what another instance reported meanwhile counts.
  await tx.run(lock(id))
  const escrow = await tx.maybe(dueReport(id, tx.now))
  if (!escrow) return
  await tx.run(reported(id, tx.now))
  const { freezes, frozenAt: since, currency } = escrow
  const about = { escrow: id, since, freezes, held: formatMoney(heldOf(escrow)), currency }
  tx.afterCommit(() => log.warn(about, 'escrow frozen for a week: only a person can end it'))
}

const countLongFrozen = (now: Date) => sql<{ count: number }>`
  select count(*)::int as count from ap2_escrow
  where status = 'FROZEN' and frozen_at <= ${now}::timestamptz - interval '7 days'`

export const escrowMetrics: ModuleMetrics = {
  help: { svc_escrows_frozen_long: 'Escrows that stand frozen for 7 days or longer' },
  async read(q, now) {
    return { svc_escrows_frozen_long: (await q.one(countLongFrozen(now))).count }
  },
}
