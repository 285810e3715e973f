import { json, sql, type Statement } from '../sql.ts'

export type ObjectKind = 'payment_intent' | 'checkout.session'
export interface ProcessorObject { id: string; kind: ObjectKind; status: string; body: Record<string, unknown> }
export interface EventRow { id: string; path: string; body: string; copies: number; attempts: number }

export const insertObject = (row: ProcessorObject & { key: string; at: Date }) => sql<ProcessorObject>`
  insert into platform_processor_object (id, kind, idempotency_key, status, body, created_at)
  values (${row.id}, ${row.kind}, ${row.key}, ${row.status}, ${json(row.body)}::jsonb, ${row.at})
  on conflict (kind, idempotency_key) do nothing returning id, kind, status, body`

export const objectByKey = (kind: ObjectKind, key: string) => sql<ProcessorObject>`
  select id, kind, status, body from platform_processor_object where kind = ${kind} and idempotency_key = ${key}`

export const objectById = (kind: ObjectKind, id: string) => sql<ProcessorObject>`
  select id, kind, status, body from platform_processor_object where kind = ${kind} and id = ${id}`

export const completeObject = (id: string, body: Record<string, unknown>) => sql<ProcessorObject>`
  update platform_processor_object set status = 'complete', body = ${json(body)}::jsonb where id = ${id} and status = 'open'
  returning id, kind, status, body`

export const insertEvent = (row: EventRow & { at: Date; due: Date }) => sql`
  insert into platform_processor_event (id, path, body, copies, next_attempt_at, created_at)
  values (${row.id}, ${row.path}, ${row.body}, ${row.copies}, ${row.due}, ${row.at})`

/** Takes events that are due for one attempt each; no other instance has them before `again`. */
export const claimDueEvents = (now: Date, again: Date) => sql<EventRow>`
  update platform_processor_event set attempts = attempts + 1, next_attempt_at = ${again}
  where id in (select id from platform_processor_event where next_attempt_at <= ${now} order by next_attempt_at limit 20 for update skip locked)
  returning id, path, body, copies, attempts`

export const eventDelivered = (id: string, now: Date) => sql`
  update platform_processor_event set delivered_at = ${now}, next_attempt_at = null where id = ${id}`

export const retryEvent = (id: string, at: Date | null) => sql`
  update platform_processor_event set next_attempt_at = ${at} where id = ${id} and delivered_at is null`

/** Where a payer came from: all that the simulated processor keeps of one. */
export const forgetPayments = (paymentIds: readonly string[]): Statement<unknown>[] => [
  sql`update platform_processor_object set body = body - 'success_url' where kind = 'checkout.session' and idempotency_key = any(${paymentIds}::text[])`,
  sql`update platform_processor_event set body = (body::jsonb #- '{data,object,success_url}')::text
    where path like '%/checkout-session' and body::jsonb #>> '{data,object,metadata,paymentId}' = any(${paymentIds}::text[])`,
]

export type OutageKind = 'not_reached' | 'answer_lost'
export interface Outage { kind: OutageKind; delay_ms: number; silent: boolean }

export const insertOutage = (row: Outage & { id: string; count: number }) => sql`
  insert into platform_processor_fault (id, kind, remaining, delay_ms, silent)
  values (${row.id}, ${row.kind}, ${row.count}, ${row.delay_ms}, ${row.silent})`

/** Uses one outage up, the oldest first. */
export const takeOutage = () => sql<Outage>`
  update platform_processor_fault set remaining = remaining - 1
  where id = (select id from platform_processor_fault where remaining > 0 order by id limit 1 for update)
  returning kind, delay_ms, silent`
