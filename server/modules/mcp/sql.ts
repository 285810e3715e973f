import { json, sql } from '#platform/kernel/sql'

export const notify = (channel: string, message: object) =>
  sql`select pg_notify(${channel}, ${json(message)})`
