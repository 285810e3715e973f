import { part, sql } from '#platform/kernel/sql'

/** Sets the reminders of some deals; those that wait for no delivery have none. */
export const setDeadlines = (deals: readonly { id: string; dueAt: Date | null }[]) => sql`
  with given as (
    select * from unnest(${deals.map(({ id }) => id)}::uuid[], ${deals.map(({ dueAt }) => dueAt)}::timestamptz[]) as g (id, due_at)
  ), ended as (
    delete from notifications_deadline d using given g where d.id = g.id and g.due_at is null
  )
  insert into notifications_deadline (id, due_at) select id, due_at from given where due_at is not null
  on conflict (id) do update set due_at = excluded.due_at`

export const deleteDeadline = (id: string) => sql`delete from notifications_deadline where id = ${id}`

/** For the timer: every row waits. */
export const EVERY = part`true`
