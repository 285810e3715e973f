import { json, sql, type Statement } from '#platform/kernel/sql'
import type { Movement } from '../statement-port.ts'
import type { Bodies, ObjectKind, ProcessorObject, SandboxMovement, TaskKind } from './objects.ts'

export interface EventRow {
  id: string
  path: string
  body: string
  copies: number
  attempts: number
}

type NewObject<Kind extends ObjectKind> = ProcessorObject<Kind> & { key: string; at: Date }

/** No row where the caller's id made an object of that kind before. */
export const insertObject = <Kind extends ObjectKind>(row: NewObject<Kind>) => sql<ProcessorObject<Kind>>`
  insert into platform_processor_object (id, kind, idempotency_key, status, body, created_at)
  values (${row.id}, ${row.kind}, ${row.key}, ${row.status}, ${json(row.body)}::jsonb, ${row.at})
  on conflict (kind, idempotency_key) do nothing returning id, kind, status, body`

export const objectByKey = <Kind extends ObjectKind>(kind: Kind, key: string) => sql<ProcessorObject<Kind>>`
  select id, kind, status, body from platform_processor_object where kind = ${kind} and idempotency_key = ${key}`

export const objectById = <Kind extends ObjectKind>(kind: Kind, id: string) => sql<ProcessorObject<Kind>>`
  select id, kind, status, body from platform_processor_object where kind = ${kind} and id = ${id}`

export const lockObject = <Kind extends ObjectKind>(kind: Kind, id: string) => sql<ProcessorObject<Kind>>`
  select id, kind, status, body from platform_processor_object where kind = ${kind} and id = ${id} for update`

/** Changes parts of an object. */
export const updateObject = <Kind extends ObjectKind>(
  kind: Kind,
  id: string,
  change: { status?: string; body?: Partial<Bodies[Kind]> },
) => sql<ProcessorObject<Kind>>`
  update platform_processor_object set status = coalesce(${change.status ?? null}, status), body = body || ${json(change.body ?? {})}::jsonb
  where kind = ${kind} and id = ${id} returning id, kind, status, body`

/** Moves an open hosted page to its end; no row if it has ended. */
export const endSession = (id: string, status: 'complete' | 'expired') => sql<
  ProcessorObject<'checkout.session'>
>`
  update platform_processor_object set status = ${status} where kind = 'checkout.session' and id = ${id} and status = 'open'
  returning id, kind, status, body`

/** The charge of a payment has been disputed before. */
export const disputeOfPayment = (processorId: string) => sql<ProcessorObject<'dispute'>>`
  select id, kind, status, body from platform_processor_object where kind = 'dispute' and idempotency_key = ${processorId}`

export const insertTask = (row: { id: string; objectId: string; kind: TaskKind; dueAt: Date }) => sql`
  insert into payments_sandbox_task (id, object_id, kind, due_at) values (${row.id}, ${row.objectId}, ${row.kind}, ${row.dueAt})`

/** Takes a task; no row if it was taken or dropped. */
export const takeTask = (id: string) => sql<{ objectId: string; kind: TaskKind }>`
  delete from payments_sandbox_task where id = ${id} returning object_id, kind`

export const dropTasks = (objectId: string) =>
  sql`delete from payments_sandbox_task where object_id = ${objectId}`

export const insertMovement = (row: SandboxMovement) => sql`
  insert into payments_sandbox_movement (id, kind, source_id, our_id, cents, fee_cents, currency, at)
  values (${row.id}, ${row.kind}, ${row.sourceId}, ${row.ourId}, ${row.cents}, ${row.feeCents}, ${row.currency}, ${row.at})`

/** A page of movements in [from, to) behind one of them. */
export const movementsAfter = (
  [from, to]: readonly [Date, Date],
  last: Pick<Movement, 'at' | 'id'> | undefined,
  limit: number,
) => sql<Movement>`
  select id, kind, source_id, our_id, cents::float8 as cents, fee_cents::float8 as fee_cents, currency, at from payments_sandbox_movement
  where at >= ${from} and at < ${to} and (at, id) > (${last?.at ?? '-infinity'}::timestamptz, ${last?.id ?? ''}::text)
  order by at, id limit ${limit}`

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

/** Where a payer came from and what for: all that the simulated processor stores of one. */
export const eraseSandboxPayments = (paymentIds: readonly string[]): Statement<unknown>[] => [
  sql`update platform_processor_object set body = body - 'success_url' - 'cancel_url' - 'seller' || '{"description": ""}'::jsonb
    where kind in ('checkout.session', 'payment_intent') and body #>> '{metadata,paymentId}' = any(${paymentIds}::text[])`,
  sql`update platform_processor_event set body = (body::jsonb #- '{data,object,success_url}' #- '{data,object,cancel_url}' #- '{data,object,seller}' #- '{data,object,description}')::text
    where body::jsonb #>> '{data,object,metadata,paymentId}' = any(${paymentIds}::text[])`,
]

/** Who holds a connected account: all that the simulated processor stores of the holder, except the test bank account. */
export const eraseSandboxAccount = (accountId: string): Statement<unknown>[] => [
  sql`update platform_processor_object set body = body - 'email' - 'country' where kind = 'account' and id = ${accountId}`,
  sql`delete from platform_processor_object where kind = 'account_link' and body->>'account' = ${accountId}`,
  sql`update platform_processor_event set body = (body::jsonb #- '{data,object,email}' #- '{data,object,country}')::text
    where path like '%/account-updated' and body::jsonb #>> '{data,object,id}' = ${accountId}`,
]

export type OutageKind = 'not_reached' | 'answer_lost'
export interface Outage {
  kind: OutageKind
  delayMs: number
  silent: boolean
}

export const insertOutage = (row: Outage & { id: string; count: number }) => sql`
  insert into platform_processor_fault (id, kind, remaining, delay_ms, silent)
  values (${row.id}, ${row.kind}, ${row.count}, ${row.delayMs}, ${row.silent})`

/** Uses one outage up, the oldest first. */
export const takeOutage = () => sql<Outage>`
  update platform_processor_fault set remaining = remaining - 1
  where id = (select id from platform_processor_fault where remaining > 0 order by id limit 1 for update)
  returning kind, delay_ms, silent`
