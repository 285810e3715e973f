import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A connection for maintenance. Its end is not an error of the process: the next query reports it. */
export class MaintenanceClient extends pg.Client {
  readonly #socket: Socket

  private constructor(url: string, socket: Socket) {
    super({
      connectionString: url,
      connectionTimeoutMillis: 5000,
      query_timeout: 10_000,
      application_name: 'svc-lease',
      stream: () => socket,
    })
    this.#socket = socket
    this.on('error', () => undefined)
  }

  static async open(url: string): Promise<MaintenanceClient> {
    const client = new MaintenanceClient(url, new Socket())
    await client.connect()
    return client
  }

  /** A server that does not answer must not keep this process from its end. */
  async close(): Promise<void> {
    await Promise.race([this.end().catch(() => undefined), sleep(1000, undefined, { ref: false })])
    this.#socket.destroy()
  }
}
