import { isId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import type { Chargeback } from '../chargebacks/sql.ts'
import type { RefundRow } from '../refunds/sql.ts'
import type { Intent, SuspenseRow } from '../sql.ts'

export const intentsOf = (processorIds: readonly string[], ids: readonly string[]) => sql<Intent>`
  select * from payments_intent where processor_id = any(${processorIds}::text[]) or id = any(${ids.filter(isId)}::uuid[])`

/** Payments by card that were confirmed in a period. */
export const intentsConfirmed = (from: Date, to: Date) => sql<Intent>`
  select * from payments_intent where status = 'SUCCEEDED' and confirmed_at >= ${from} and confirmed_at < ${to}`

export const suspendedOf = (processorIds: readonly string[]) => sql<SuspenseRow>`
  select * from payments_suspense where processor_id = any(${processorIds}::text[])`

export const chargebacksOf = (disputeIds: readonly string[]) => sql<Chargeback>`
  select * from payments_chargeback where dispute_id = any(${disputeIds}::text[])`

export const chargebacksOpened = (from: Date, to: Date) => sql<Chargeback>`
  select * from payments_chargeback where created_at >= ${from} and created_at < ${to}`

/** The refunds with these ids, at the processor or here, and those that ended in a period. */
export const refundsIn = (
  { from, to }: { from: Date; to: Date },
  processorIds: readonly string[],
  ids: readonly string[],
) => sql<RefundRow>`
  select * from payments_refund where processor_id = any(${processorIds}::text[]) or id = any(${ids.filter(isId)}::uuid[])
    or (status <> 'PENDING' and updated_at >= ${from} and updated_at < ${to})`

/** When the oldest refund began that ended in a period. */
export const oldestRefundEnded = (from: Date, to: Date) => sql<{ since: Date | null }>`
  select min(created_at) as since from payments_refund
  where status <> 'PENDING' and updated_at >= ${from} and updated_at < ${to}`

export interface EventLine {
  id: string
  type: string
  /** The object that it is about. */
  objectId: string | null
  amount: string | null
  deliveries: number
  isLate: boolean
}

/** The events of some objects; `isLate` if a newer event of the same object was received before. */
export const eventsOf = (objectIds: readonly string[]) => sql<EventLine>`
  select id, type, object_id, amount, deliveries, created < max(created) over earlier as is_late
  from (select id, type, deliveries, received_at, body #>> '{data,object,id}' as object_id, (body->>'created')::numeric as created,
      coalesce(body #>> '{data,object,amount_received}', body #>> '{data,object,amount}') as amount
    from payments_event where body #>> '{data,object,id}' = any(${objectIds}::text[])) e
  window earlier as (partition by object_id order by received_at, id rows between unbounded preceding and 1 preceding)
  order by received_at, id`
