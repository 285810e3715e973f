import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const PAUSE_MS = 5

/** A reader and a writer of one row of a table, which measure how long each statement takes. */
export class Probe {
  readonly #clients: pg.Client[] = []
  readonly #loops: Promise<void>[] = []
  #isEnding = false
  #takenAt = 0
  /** The longest wait since the last `take`, with its table. */
  #longest = { ms: 0, where: '' }
  /** Statements under way, by their begin: one that waits still counts. */
  readonly #running = new Map<string, number>()

  static async start(url: string, tables: readonly string[]): Promise<Probe> {
    const probe = new Probe()
    for (const table of tables) {
      const client = await probe.#open(url)
      const { rows } = await client.query<{ key: string; other: string }>(
        `select a.attname as key, (select attname from pg_attribute o where o.attrelid = i.indrelid and o.attnum > 0
          and not o.attisdropped and o.attidentity = '' and o.attgenerated = '' order by o.attnum limit 1) as other
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = $1::regclass and i.indisprimary`,
        [table],
      )
      const key = pg.escapeIdentifier(rows[0]?.key ?? 'id')
      const other = pg.escapeIdentifier(rows[0]?.other ?? 'id')
      const [row] = (
        await client.query<{ value: string }>(`select ${key}::text as value from ${table} limit 1`)
      ).rows
      if (!row) throw new Error(`${table} is empty`)
      const where = `where ${key} = ${pg.escapeLiteral(row.value)}`
      probe.#loops.push(probe.#repeat(client, `read ${table}`, `select ${key} from ${table} ${where}`))
      const write = `update ${table} set ${other} = ${other} ${where}`
      probe.#loops.push(probe.#repeat(await probe.#open(url), `write ${table}`, write))
    }
    return probe
  }

  /** The longest wait since the last call. */
  take(): { ms: number; where: string } {
    for (const [where, since] of this.#running) this.#note(where, since)
    const taken = this.#longest
    this.#takenAt = performance.now()
    this.#longest = { ms: 0, where: '' }
    return taken
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#loops)
    await Promise.all(this.#clients.map(client => client.end()))
  }

  async #open(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    // Triggers refuse changes of the ledger.
    await client.query('set session_replication_role = replica')
    this.#clients.push(client)
    return client
  }

  async #repeat(client: pg.Client, where: string, statement: string): Promise<void> {
    for (; !this.#isEnding; await sleep(PAUSE_MS)) {
      const since = performance.now()
      this.#running.set(where, since)
      await client.query(statement)
      this.#running.delete(where)
      this.#note(where, since)
    }
  }

  /** What was waited for before the last `take` was counted there. */
  #note(where: string, since: number): void {
    const ms = performance.now() - Math.max(since, this.#takenAt)
    if (ms > this.#longest.ms) this.#longest = { ms, where }
  }
}
