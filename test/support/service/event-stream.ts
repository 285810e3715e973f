import { setTimeout as sleep } from 'node:timers/promises'

/** One server-sent event. */
export interface StreamedEvent {
  id: string
  event: string
  data: {
    id: string
    type: string
    sequence: number
    agentId: string
    timestamp: string
    data: Record<string, unknown>
  }
}

/** A client of `text/event-stream`. */
export class StreamClient {
  readonly status: number
  readonly events: StreamedEvent[] = []
  /** True once the server has ended the stream. */
  ended = false
  readonly #abort: AbortController

  private constructor(answer: Response, abort: AbortController) {
    this.status = answer.status
    this.#abort = abort
    void this.#read(answer)
  }

  static async open(url: string, headers: Record<string, string>): Promise<StreamClient> {
    const abort = new AbortController()
    return new StreamClient(await fetch(url, { headers, signal: abort.signal }), abort)
  }

  /** Returns when `condition` holds for what has arrived; throws after 20 s. */
  async until(condition: (client: StreamClient) => boolean): Promise<void> {
    const deadline = Date.now() + 20_000
    while (!condition(this)) {
      if (Date.now() > deadline)
        throw new Error(`the stream has only ${JSON.stringify(this.events.map(({ event }) => event))}`)
      await sleep(20)
    }
  }

  close(): void {
    this.#abort.abort()
  }

  async #read(answer: Response): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
      }
    } catch {
      // Closed by the test, or by the server.
    }
    this.ended = true
  }

  #take(block: string): void {
    const fields = new Map(
      block.split('\n').map(line => {
        const [name = '', ...rest] = line.split(': ')
        return [name, rest.join(': ')]
      }),
    )
    const data = fields.get('data')
    if (data === undefined) return
    this.events.push({
      id: fields.get('id') ?? '',
      event: fields.get('event') ?? '',
      data: JSON.parse(data) as StreamedEvent['data'],
    })
  }
}
