import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform, type TransformCallback } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** The line from the servers to PostgreSQL, which can be slow, silent or cut. */
export class DatabaseLine {
  /** How long each packet takes. */
  delayMs = 0
  #held: Promise<void> | undefined
  readonly #sockets = new Set<Socket>()
  readonly #server

  private constructor(target: number) {
    this.#server = createServer(client => this.#join(client, connect(target, '127.0.0.1')))
  }

  static async open(target: number): Promise<DatabaseLine> {
    const line = new DatabaseLine(target)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Nothing passes for a while; then everything does. */
  async hold(ms: number): Promise<void> {
    this.#held = sleep(ms)
    await this.#held
    this.#held = undefined
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.#server.close()
    this.cut()
  }

  #join(client: Socket, server: Socket): void {
    const both = [client, server]
    for (const socket of both) {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        for (const each of both) each.destroy()
      })
    }
    client.pipe(this.#gate()).pipe(server)
    server.pipe(this.#gate()).pipe(client)
  }

  async #later(done: TransformCallback, chunk: Buffer): Promise<void> {
    await this.#held
    await sleep(this.delayMs)
    done(null, chunk)
  }

  #gate(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (!this.#held && !this.delayMs) return done(null, chunk)
        void this.#later(done, chunk)
      },
    })
  }
}
