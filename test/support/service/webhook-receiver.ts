import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedMessage {
  headers: IncomingHttpHeaders
  body: string
  /** Header webhook-id. */
  id: string
  event: { id: string; type: string; sequence: number; data: Record<string, unknown> }
  status: number
}

/** An endpoint of an agent. `answer` says the status of the next answer: 0 closes the connection, -1 never answers. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = []
  answer: (message: ReceivedMessage) => number = () => 200
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const id = String(request.headers['webhook-id'])
      const event = JSON.parse(body) as ReceivedMessage['event']
      const message = { headers: request.headers, body, id, event, status: 0 }
      message.status = this.answer(message)
      this.messages.push(message)
      if (message.status > 0) response.writeHead(message.status).end('ok')
      else if (message.status === 0) request.socket.destroy()
    })
  })

  #port = 0

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    await receiver.listen()
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/events`
  }

  /** Accepts connections; after `close` at the same address as before. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  get accepted(): ReceivedMessage[] {
    return this.messages.filter(({ status }) => status === 200)
  }

  /** Returns when `condition` holds; throws after 20 s. */
  async until(condition: (receiver: WebhookReceiver) => boolean): Promise<void> {
    const deadline = Date.now() + 20_000
    while (!condition(this)) {
      if (Date.now() > deadline)
        throw new Error(`received only ${JSON.stringify(this.messages.map(({ event }) => event.type))}`)
      await sleep(20)
    }
  }

  /** Closes the connections that are open. */
  cut(): void {
    this.#server.closeAllConnections()
  }

  /** Connections are refused from now on. */
  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
