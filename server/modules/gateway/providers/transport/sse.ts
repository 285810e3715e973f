import { StringDecoder } from 'node:string_decoder'
import { UpstreamFailure } from '../../core/upstream.ts'

/** One server-sent event: its name (empty for none) and its data, several lines of it joined. */
export interface SseEvent {
  name: string
  data: string
}

/** Of a line in characters: an event of the Responses API holds a whole answer. */
const MAX_LINE = 8 * 1024 * 1024

/**
 * Reads server-sent events (WHATWG HTML, section 9.2) from bytes that are cut at any place: within a character, within a line
 * end, within a field. Lines end with LF, CR or CRLF. Comments, ids and retry times are skipped.
 */
export class SseReader {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #name = ''
  #data: string | null = null
  /** The last line ended with CR at the end of the bytes: an LF that follows belongs to it. */
  #afterCr = false
  #isFirst = true

  /** The events that these bytes complete. */
  read(bytes: Buffer): SseEvent[] {
    const events: SseEvent[] = []
    let text = this.#decoder.write(bytes)
    if (!text) return events
    if (this.#isFirst) {
      this.#isFirst = false
      if (text.startsWith('\uFEFF')) text = text.slice(1)
    }
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1)
    this.#afterCr = text.endsWith('\r')
    if (this.#rest) text = this.#rest + text
    const end = this.#lines(text, events)
    this.#rest = end ? text.slice(end) : text
    if (this.#rest.length > MAX_LINE)
      throw new UpstreamFailure('malformed', 'The provider sent a line that is too long', { status: 200 })
    return events
  }

  /** Takes the complete lines of a text; returns where the incomplete one begins. */
  #lines(text: string, events: SseEvent[]): number {
    const hasCr = text.includes('\r')
    let start = 0
    for (;;) {
      const end = hasCr ? lineEnd(text, start) : text.indexOf('\n', start)
      if (end === -1) return start
      this.#line(text, start, end, events)
      start = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
    }
  }

  #line(text: string, start: number, end: number, events: SseEvent[]): void {
    if (start === end) {
      if (this.#data !== null) events.push({ name: this.#name, data: this.#data })
      this.#name = ''
      this.#data = null
    } else if (text.startsWith('data:', start)) {
      const value = fieldOf(text, start + 5, end)
      this.#data = this.#data === null ? value : `${this.#data}\n${value}`
    } else if (text.startsWith('event:', start)) {
      this.#name = fieldOf(text, start + 6, end)
    }
  }
}

function lineEnd(text: string, start: number): number {
  const lf = text.indexOf('\n', start)
  const cr = text.indexOf('\r', start)
  if (cr === -1) return lf
  return lf === -1 ? cr : Math.min(lf, cr)
}

const fieldOf = (text: string, start: number, end: number): string =>
  text.slice(text[start] === ' ' ? start + 1 : start, end)
