import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that an agent's endpoint received. */
export interface Received {
  headers: IncomingHttpHeaders
  body: string
  json: Record<string, unknown>
}

/** What the endpoint answers: a status with a JSON body, or later. */
export type Reply = { status: number; body?: unknown } | Promise<{ status: number; body?: unknown }>

export interface AgentEndpoint {
  url: string
  received: readonly Received[]
  /** How it answers the next requests; the last one stays. */
  answer(...replies: (Reply | ((request: Received) => Reply))[]): void
  close(): Promise<void>
}

/** An agent's own HTTP server on loopback. Without another word it answers with the input as output. */
export async function openAgentEndpoint(): Promise<AgentEndpoint> {
  const received: Received[] = []
  let replies: (Reply | ((request: Received) => Reply))[] = [
    ({ json }) => ({ status: 200, body: { output: json.input } }),
  ]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      // A probe that asks whether anything answers here.
      if (request.method !== 'POST') return void response.writeHead(200).end()
      const body = Buffer.concat(chunks).toString('utf8')
      const message = { headers: request.headers, body, json: JSON.parse(body) as Record<string, unknown> }
      received.push(message)
      const next = replies.length > 1 ? replies.shift() : replies[0]
      void Promise.resolve(typeof next === 'function' ? next(message) : next).then(reply => {
        const { status, body: answer } = reply ?? { status: 500 }
        const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? {})
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/run`,
    received,
    answer: (...next) => {
      replies = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
