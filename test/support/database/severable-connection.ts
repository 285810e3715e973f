import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A connection to a database that fails as a network, a stopped or a frozen server does. */
export interface Line {
  /** The database through the line. */
  url: string
  /** Ends every connection; new ones are refused. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** New connections are accepted, and wait; those that are open go on. */
  holdNew(): void
  /** Passes nothing on, in either direction; new connections wait. */
  freeze(): void
  unfreeze(): void
  close(): Promise<void>
}

export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl)
  const directory = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const dial = () => (directory ? connect(`${directory}/.s.PGSQL.${port}`) : connect(port, target.hostname))
  const ends = new Set<Socket>()
  let frozen = false
  const waiting: Socket[] = []
  const server = createServer(near => {
    if (frozen) waiting.push(near.on('error', () => undefined))
    else join(near)
  })
  const join = (near: Socket) => {
    const far = dial()
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end
        .on('error', () => undefined)
        .on('close', () => {
          ends.delete(end)
          other.destroy()
        })
    }
    near.pipe(far).pipe(near)
  }
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const own = await listen(0)
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const end of [...ends, ...waiting]) end.destroy()
    await closed
  }
  const holdNew = () => {
    frozen = true
  }
  const freeze = () => {
    holdNew()
    for (const end of ends) end.pause()
  }
  const unfreeze = () => {
    frozen = false
    for (const end of ends) end.resume()
    for (const near of waiting.splice(0)) if (!near.destroyed) join(near)
  }
  const url = new URL(databaseUrl)
  url.search = '?sslmode=disable'
  url.hostname = '127.0.0.1'
  url.port = String(own)
  return {
    url: url.href,
    cut,
    mend: async () => {
      await listen(own)
    },
    holdNew,
    freeze,
    unfreeze,
    close: cut,
  }
}
