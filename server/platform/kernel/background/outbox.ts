import { json, part, sql, type SqlPart } from '../sql.ts'

/**
 * A message for one module above, which takes it after the commit. It is part of the statement that writes the change
 * (`writeTogether`), so that it costs no statement of its own. Messages about rows under one lock are taken in their order.
 */
export const insertIntoOutbox = (topic: string, body: object): SqlPart =>
  part`insert into platform_outbox (topic, body) values (${topic}, ${json(body)}::jsonb)`

export interface OutboxMessage {
  topic: string
  body: unknown
}

export const isOutboxFilled = (topics: readonly string[]) => sql<{ filled: boolean }>`
  select exists (select from platform_outbox where topic = any(${topics}::text[])) as filled`

/** Takes the oldest messages, in order. The caller makes sure that no other transaction takes messages at the same time. */
export const takeFromOutbox = (topics: readonly string[], limit: number) => sql<OutboxMessage>`
  with taken as (
    delete from platform_outbox where id in (
      select id from platform_outbox where topic = any(${topics}::text[]) order by id limit ${limit})
    returning id, topic, body
  )
  select topic, body from taken order by id`
