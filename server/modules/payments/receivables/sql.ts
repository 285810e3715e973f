import type { Asset } from '#platform/kernel/money'
import { sql, type SqlPart } from '#platform/kernel/sql'

export interface Receivable {
  id: string
  ownerId: string
  chargebackId: string | null
  asset: Asset
  amount: bigint
  recovered: bigint
  writtenOff: bigint
  createdAt: Date
}

export const insertReceivable = (row: Omit<Receivable, 'recovered' | 'writtenOff'>) => sql`
  insert into payments_receivable (id, owner_id, chargeback_id, asset, amount, created_at)
  values (${row.id}, ${row.ownerId}, ${row.chargebackId}, ${row.asset}, ${row.amount}, ${row.createdAt})`

/** What an owner (a subquery of its id) owes and has neither paid nor been released from, the oldest first. */
export const lockOpenReceivables = (owner: SqlPart, asset: SqlPart) => sql<Receivable>`
  select * from payments_receivable
  where owner_id = (${owner}) and asset = (${asset}) and recovered + written_off < amount order by id for update`

export const lockOpenReceivablesOf = (chargebackId: string) => sql<Receivable>`
  select * from payments_receivable
  where chargeback_id = ${chargebackId} and recovered + written_off < amount order by id for update`

export const receivablesOf = (chargebackIds: readonly string[]) => sql<Receivable>`
  select * from payments_receivable where chargeback_id = any(${chargebackIds}::uuid[]) order by id`

export const addRecovered = (id: string, amount: bigint) => sql`
  update payments_receivable set recovered = recovered + ${amount} where id = ${id}`

export const addWrittenOff = (id: string, amount: bigint) => sql`
  update payments_receivable set written_off = written_off + ${amount} where id = ${id}`
