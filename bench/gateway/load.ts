import { connect, type Socket } from 'node:net'

/** Where load goes to, and with which header lines (each ends with CRLF). */
export interface Target {
  name: string
  baseUrl: string
  headers: string
  body: Readonly<Record<string, unknown>>
  /** Its process, for its memory. */
  pid: number
}

export interface Measured {
  requests: number
  perSecond: number
  /** Milliseconds of each request, in order of size. */
  latencies: Float64Array
  firstBytes: Float64Array
  failures: number
}

const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

/**
 * A kept-alive connection that sends the same request again and again. It parses only what it needs: a complete client
 * would take more of the processor than what is measured.
 */
class Connection {
  readonly latencies: number[] = []
  readonly firstBytes: number[] = []
  failures = 0
  readonly #request: Buffer
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #bodyAt = -1
  #length = -1
  #begun = 0
  #firstByte = 0
  #until = 0
  #finish: (() => void) | undefined

  constructor({ baseUrl, headers, body }: Target, stream: boolean) {
    const { hostname, port, host } = new URL(baseUrl)
    const text = JSON.stringify(stream ? { ...body, stream: true } : body)
    this.#request = Buffer.from(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\n${headers}Content-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
    this.#socket = connect(Number(port), hostname).setNoDelay(true)
    this.#socket.on('data', chunk => this.#receive(chunk))
    this.#socket.on('error', () => this.#end()).on('close', () => this.#end())
  }

  run(until: number): Promise<void> {
    this.#until = until
    return new Promise(resolve => {
      this.#finish = resolve
      this.#send()
    })
  }

  close(): void {
    this.#finish = undefined
    this.#socket.destroy()
  }

  #end(): void {
    if (!this.#finish) return
    this.failures++
    this.#finish()
    this.#finish = undefined
  }

  #send(): void {
    this.#received = Buffer.alloc(0)
    this.#bodyAt = -1
    this.#begun = performance.now()
    this.#socket.write(this.#request)
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk
    if (this.#bodyAt < 0) this.#readHead()
    if (this.#bodyAt < 0 || !this.#isComplete()) return
    const now = performance.now()
    this.latencies.push(now - this.#begun)
    this.firstBytes.push(this.#firstByte - this.#begun)
    if (now < this.#until) return this.#send()
    this.#finish?.()
    this.#finish = undefined
  }

  #readHead(): void {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0 || this.#received.length === end + 4) return
    this.#bodyAt = end + 4
    this.#firstByte = performance.now()
    const head = this.#received.toString('latin1', 0, end)
    this.#length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? -1)
    if (!head.startsWith('HTTP/1.1 20')) this.failures++
  }

  #isComplete(): boolean {
    if (this.#length >= 0) return this.#received.length >= this.#bodyAt + this.#length
    return this.#received.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)
  }
}

/** Loads a target with so many connections for a time. */
export async function load(
  target: Target,
  { connections, seconds, stream }: { connections: number; seconds: number; stream: boolean },
): Promise<Measured> {
  const open = Array.from({ length: connections }, () => new Connection(target, stream))
  const begun = performance.now()
  await Promise.all(open.map(connection => connection.run(begun + seconds * 1000)))
  const elapsed = (performance.now() - begun) / 1000
  for (const connection of open) connection.close()
  const ordered = (values: (of: Connection) => number[]) => Float64Array.from(open.flatMap(values)).sort()
  const latencies = ordered(each => each.latencies)
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsed,
    latencies,
    firstBytes: ordered(each => each.firstBytes),
    failures: open.reduce((sum, { failures }) => sum + failures, 0),
  }
}

/** The value below which this share of the ordered values is. */
export const quantile = (ordered: Float64Array, share: number): number =>
  ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? NaN
