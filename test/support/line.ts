import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A line to a database that can be cut as a network or a stopped server cuts it. */
export interface Line {
  /** The database through the line. */
  url: string
  /** Ends every connection; new ones are refused. */
  cut(): Promise<void>
  mend(): Promise<void>
  close(): Promise<void>
}

export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl)
  const directory = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const dial = () => (directory ? connect(`${directory}/.s.PGSQL.${port}`) : connect(port, target.hostname))
  const ends = new Set<Socket>()
  const server = createServer(near => {
    const far = dial()
    for (const [end, other] of [[near, far], [far, near]] as const) {
      ends.add(end)
      end.on('error', () => undefined).on('close', () => { ends.delete(end); other.destroy() })
    }
    near.pipe(far).pipe(near)
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const own = await listen(0)
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const end of ends) end.destroy()
    await closed
  }
  const url = new URL(databaseUrl)
  url.search = '?sslmode=disable'
  url.hostname = '127.0.0.1'
  url.port = String(own)
  return { url: url.href, cut, mend: async () => { await listen(own) }, close: cut }
}
