import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const BIN = join(import.meta.dirname, '../../bin')

export interface Ended {
  status: number | null
  out: string
  err: string
}

/** A user with a folder for configuration who runs `svc`. */
export class Terminal {
  readonly folder: string
  readonly url: string

  private constructor(folder: string, url: string) {
    this.folder = folder
    this.url = url
  }

  static async open(url: string): Promise<Terminal> {
    return new Terminal(await mkdtemp(join(tmpdir(), 'svc-cli-')), url)
  }

  start(
    words: string[],
    { file = join(BIN, 'svc'), env = {} }: { file?: string; env?: Record<string, string> } = {},
  ) {
    const child = spawn(file, words, {
      cwd: this.folder,
      env: {
        PATH: `${BIN}:${process.env.PATH ?? ''}`,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        SVC_CONFIG_DIR: this.folder,
        SVC_URL: this.url,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    return new Running(child)
  }

  /** Runs a command to its end; `input` is its standard input. */
  async svc(
    words: string[],
    { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
  ): Promise<Ended> {
    const running = this.start(words, { env })
    running.child.stdin?.end(input)
    return running.ended
  }

  /** The same for a command that must succeed: its JSON. */
  async json<T>(words: string[], input = ''): Promise<T> {
    const { status, out, err } = await this.svc([...words, '--json'], { input })
    if (status !== 0) throw new Error(`svc ${words.join(' ')} ended with ${status}: ${err}`)
    return JSON.parse(out) as T
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

export class Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  out = ''
  err = ''

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()))
    this.ended = new Promise(resolve =>
      child.once('close', (status: number | null) => resolve({ status, out: this.out, err: this.err })),
    )
  }

  /** Returns when the pattern is printed; throws after a minute. */
  async prints(pattern: RegExp): Promise<void> {
    for (const deadline = Date.now() + 60_000; !pattern.test(this.out + this.err);) {
      if (Date.now() > deadline) throw new Error(`not ${String(pattern)}: ${this.out}${this.err}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}
