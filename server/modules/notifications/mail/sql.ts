import { column, part, sql } from '#platform/kernel/sql'
import type { Category } from './texts.ts'

export type Preferences = Record<Category, boolean>

export const preferencesOf = (accountId: string) => sql<Preferences>`
  select offers, progress, deadlines from notifications_preference where account_id = ${accountId}`

export const setPreferences = (accountId: string, wanted: Preferences, now: Date) => sql`
  insert into notifications_preference (account_id, offers, progress, deadlines, updated_at)
  values (${accountId}, ${wanted.offers}, ${wanted.progress}, ${wanted.deadlines}, ${now})
  on conflict (account_id) do update set offers = excluded.offers, progress = excluded.progress,
    deadlines = excluded.deadlines, updated_at = excluded.updated_at`

export const unsubscribe = (accountId: string, category: Category, now: Date) => sql`
  insert into notifications_preference (account_id, ${column(category)}, updated_at)
  select id, false, ${now}::timestamptz from identity_account where id = ${accountId} and status <> 'DELETED'
  on conflict (account_id) do update set ${column(category)} = false, updated_at = excluded.updated_at`

export const deletePreferences = (accountId: string) => sql`
  delete from notifications_preference where account_id = ${accountId}`

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
