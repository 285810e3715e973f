import { join } from 'node:path'
import process from 'node:process'
import { spawn, type IPty } from '@lydell/node-pty'
import type { Terminal } from './cli.ts'

const BIN = join(import.meta.dirname, '../../bin')

/** A program on a pseudo-terminal of 80 columns: what it writes there, and keys. */
export class Screen {
  readonly #pty: IPty
  readonly ended: Promise<number>
  text = ''

  private constructor(pty: IPty) {
    this.#pty = pty
    pty.onData(data => (this.text += data))
    this.ended = new Promise(resolve => pty.onExit(({ exitCode }) => resolve(exitCode)))
  }

  static open(
    { folder, url }: Terminal,
    words: string[],
    { file = join(BIN, 'svc'), env = {} }: { file?: string; env?: Record<string, string> } = {},
  ): Screen {
    return new Screen(
      spawn(file, words, {
        // node-pty sets TERM to it.
        name: env.TERM ?? 'xterm-256color',
        cols: 80,
        rows: 24,
        cwd: folder,
        env: {
          PATH: `${BIN}:${process.env.PATH ?? ''}`,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          SVC_CONFIG_DIR: folder,
          SVC_URL: url,
          ...env,
        },
      }),
    )
  }

  type(keys: string): void {
    this.#pty.write(keys)
  }

  close(): void {
    this.#pty.kill()
  }

  /** Returns when the pattern is on the screen; throws after a minute. */
  async shows(pattern: RegExp): Promise<void> {
    for (const deadline = Date.now() + 60_000; !pattern.test(this.text);) {
      if (Date.now() > deadline) throw new Error(`not ${String(pattern)}: ${this.text}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}
