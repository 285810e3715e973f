import { connect, type Socket } from 'node:net'

/** A response; `body` is parsed JSON. */
export interface Response {
  status: number
  body: Record<string, unknown>
}

/**
 * A kept-alive HTTP/1.1 connection that sends one request at a time. It does only what this bench needs, because a
 * complete client takes as much CPU as the service and would be measured with it.
 */
export class LeanClient {
  readonly #socket: Socket
  readonly #host: string
  #received: Buffer = Buffer.alloc(0)
  #waiting: { resolve(response: Response): void; reject(error: Error): void } | undefined

  constructor(baseUrl: string) {
    const { hostname, port, host } = new URL(baseUrl)
    this.#host = host
    this.#socket = connect(Number(port), hostname).setNoDelay(true)
    this.#socket.on('data', chunk => this.#receive(chunk))
    const fail = (error: Error) => this.#waiting?.reject(error)
    this.#socket.on('error', fail).on('close', () => fail(new Error('the service closed the connection')))
  }

  /** `headers`: lines that end with CRLF. */
  get(path: string, headers: string): Promise<Response> {
    return this.#send(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${headers}\r\n`)
  }

  post(path: string, headers: string, body: object): Promise<Response> {
    const text = JSON.stringify(body)
    return this.#send(
      `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${headers}Content-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
  }

  #send(request: string): Promise<Response> {
    this.#socket.write(request)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (this.#received.length < end + 4 + length) return
    const body = this.#received.toString('utf8', end + 4, end + 4 + length)
    this.#received = this.#received.subarray(end + 4 + length)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({
      status: Number(head.slice(9, 12)),
      body: body ? (JSON.parse(body) as Response['body']) : {},
    })
  }
}
