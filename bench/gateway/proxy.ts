/** The limit: a proxy that passes bytes on with the HTTP client of the gateway and does nothing else. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const pool = new Pool(process.argv[2] ?? '', { connections: 128 })
const server = createServer((request, response) => {
  pool
    .stream(
      {
        path: request.url ?? '/',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: request,
      },
      ({ statusCode, headers }) => {
        const length = headers['content-length']
        response.writeHead(statusCode, {
          'content-type': String(headers['content-type']),
          ...(length === undefined ? {} : { 'content-length': String(length) }),
        })
        return response
      },
    )
    .catch(() => response.destroy())
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
