import process from 'node:process'
import type { Given } from './command.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
const CLEAR = '\r\u001b[2K'
const WIDTH = 24
/** Of a terminal that does not report its own. */
const COLUMNS = 80

export interface ProgressStream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

interface ProgressOptions {
  /** Standard error, because standard output is for results. */
  stream?: ProgressStream
  /** Where there is no terminal, each new text is a line, or there is nothing. */
  elsewhere?: 'lines' | 'nothing'
  isOff?: boolean
}

/** Shows on a terminal what goes on, for how long and, where that is known, how much of it is done. */
export class Progress {
  readonly #stream: ProgressStream
  readonly #elsewhere: 'lines' | 'nothing'
  readonly #isOff: boolean
  readonly #began = Date.now()
  #text = ''
  #share: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ stream = process.stderr, elsewhere = 'lines', isOff = false }: ProgressOptions = {}) {
    this.#stream = stream
    this.#elsewhere = elsewhere
    this.#isOff = isOff
  }

  /** `share` is between 0 and 1; without it only the time is shown. */
  show(text: string, share?: number): void {
    const isNew = text !== this.#text
    this.#text = text
    this.#share = share
    if (this.#isOff) return
    if (this.#stream.isTTY) {
      // The work may take the processor: the timer alone would draw late. Its end is the end of the process too.
      this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref()
      if (isNew) this.#draw()
    } else if (isNew && this.#elsewhere === 'lines') this.#stream.write(`${text}\n`)
  }

  end(): void {
    clearInterval(this.#timer)
    if (this.#timer) this.#stream.write(CLEAR)
    this.#timer = undefined
  }

  #draw(): void {
    const ms = Date.now() - this.#began
    const frame = FRAMES[Math.floor(ms / FRAME_MS) % FRAMES.length]
    const line = [frame, ...barOf(this.#share), this.#text, `${Math.floor(ms / 1000)} s`].join(' ')
    // A longer line would go on below, where it cannot be cleared. A terminal without a size has 0 columns.
    this.#stream.write(CLEAR + line.slice(0, (this.#stream.columns || COLUMNS) - 1))
  }
}

function barOf(share: number | undefined): string[] {
  if (share === undefined) return []
  const known = Math.min(Math.max(share, 0), 1)
  const filled = Math.floor(known * WIDTH)
  const percent = String(Math.floor(known * 100)).padStart(3)
  return [`[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`, `${percent} %`]
}

/** Runs long work of a command with its progress on a terminal, and without any with --json. */
export async function withProgress<T>(
  { options }: Given,
  work: (progress: Progress) => Promise<T>,
  stream?: ProgressStream,
): Promise<T> {
  const progress = new Progress({ stream, elsewhere: 'nothing', isOff: options.has('--json') })
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}
