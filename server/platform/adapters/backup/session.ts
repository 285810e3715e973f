import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Statement } from '../../kernel/sql.ts'
import * as sql from './sql.ts'

const END_MS = 2000

/** One connection for a copy of the whole database, closed at the end of `work`. */
export async function withSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url,
    application_name: 'svc-backup',
    connectionTimeoutMillis: 15_000,
    stream: () => socket,
  })
  // A connection that breaks fails its statement, and reports again as an event.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await rowsOf(client, sql.prepareSession())
    return await work(client)
  } finally {
    // A copy that was broken off leaves unread rows on the connection, behind which its end cannot be seen.
    await Promise.race([client.end().catch(() => undefined), sleep(END_MS, undefined, { ref: false })])
    socket.destroy()
  }
}

export async function rowsOf<Row>(client: pg.Client, { text, values }: Statement<Row>): Promise<Row[]> {
  return (await client.query({ text, values: [...values] })).rows as Row[]
}
