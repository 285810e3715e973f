import { sql } from '#platform/kernel/sql'

export const insertSecondErasure = (accountId: string, dueAt: Date) => sql`
  insert into onboarding_second_erasure (id, due_at) values (${accountId}, ${dueAt})`

export const deleteSecondErasure = (accountId: string) =>
  sql`delete from onboarding_second_erasure where id = ${accountId}`
