import pg from 'pg'
import { urlsOf } from './connection-string.ts'

/** How long a server may take to answer who it is. */
const ASK_MS = 3000

/** `unclear`: PostgreSQL refused the question, such as for a wrong password or too many connections. */
type Role = 'primary' | 'standby' | 'unclear' | 'silent'

/**
 * The servers that a connection string names, `postgres://user@a:5432,b:5432/svc`: a primary and its standbys. A standby
 * that is promoted is found by asking all of them.
 */
export class Servers {
  readonly #urls: readonly string[]
  #current: string
  #search: Promise<boolean> | undefined

  constructor(url: string) {
    this.#urls = urlsOf(url)
    this.#current = this.#urls[0] ?? url
  }

  get areSeveral(): boolean {
    return this.#urls.length > 1
  }

  /** The URL of the server that was the primary when they were asked last; before that, of the first one. */
  get current(): string {
    return this.#current
  }

  /** Asks all servers, and makes the primary the current one. False if none answers as a primary. */
  findPrimary(): Promise<boolean> {
    return (this.#search ??= this.#ask().finally(() => {
      this.#search = undefined
    }))
  }

  async #ask(): Promise<boolean> {
    const roles = await Promise.all(this.#urls.map(roleOf))
    // The current one first: it has the connections.
    const places = [...roles.keys()].toSorted(
      (a, b) => Number(this.#urls[b] === this.#current) - Number(this.#urls[a] === this.#current),
    )
    const [found] = places.filter(place => roles[place] === 'primary')
    this.#current = this.#urls[found ?? -1] ?? this.#current
    return found !== undefined || roles.includes('unclear')
  }
}

/** The URL of the primary among the servers of a connection string; of the first one where none answers. */
export async function primaryOf(url: string): Promise<string> {
  const servers = new Servers(url)
  if (servers.areSeveral) await servers.findPrimary()
  return servers.current
}

/** Throws if the connection leads to a standby, which accepts no change. */
export async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"')
  if (rows[0]?.isStandby) throw new Error('Connection terminated: the server is a standby')
}

async function roleOf(url: string): Promise<Role> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
    application_name: 'svc-probe',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"')
    return rows[0]?.isStandby ? 'standby' : 'primary'
  } catch (error) {
    return error instanceof pg.DatabaseError ? 'unclear' : 'silent'
  } finally {
    client.end().catch(() => undefined)
  }
}
