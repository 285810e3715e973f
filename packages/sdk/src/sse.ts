/** One server-sent event. */
export interface ServerEvent {
  id: string | undefined
  event: string
  data: string
}

export interface ReadOptions {
  /** A stream that is silent for longer counts as ended: the connection may be gone without a sign. */
  idleMs?: number
  /** Position and time to wait before the next connection, which may also come without an event. */
  onControl?: (control: { id: string | undefined; retryMs: number | undefined }) => void
}

/** The events of a `text/event-stream`, as the HTML standard reads them. Ends with the stream; throws when it is cut off. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { idleMs, onControl }: ReadOptions = {},
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const end = () => void reader.cancel().catch(() => undefined)
  let timer: ReturnType<typeof setTimeout> | undefined
  const decoder = new TextDecoder()
  let rest = ''
  let fields: Record<string, string> = {}
  try {
    for (;;) {
      if (idleMs) timer = setTimeout(end, idleMs)
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line) addField(fields, line)
        else {
          const { id, event = 'message', data, retry } = fields
          fields = {}
          if (data === undefined) onControl?.({ id, retryMs: retry ? Number(retry) : undefined })
          if (data !== undefined) yield { id, event, data }
        }
      }
    }
  } finally {
    clearTimeout(timer)
    end()
  }
}

function addField(fields: Record<string, string>, line: string): void {
  const colon = line.indexOf(':')
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  fields[name] = name === 'data' && 'data' in fields ? `${fields[name]}\n${value}` : value
}
