import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startServerProcess, type ServerProcess } from '#test'

interface Slot {
  number: number
  port: number
  process: ServerProcess | undefined
  /** Background statement at which the process ends itself; 0 is none. */
  failpoint: number
  endedAt: number
  startedAt: number
}

export type Ending = 'kill' | 'failpoint' | 'unexpected'

interface Hooks {
  /** A process has ended: how, and what it printed last. */
  onEnd(how: Ending, words: string): void
  onReady(downMs: number): void
  onFailedStart(words: string): void
}

const PRINTED = 1500
/** Without a database a server ends at its start, and is started again. */
const START_MS = 90_000

/** Server processes on one database; one that ends is started again, as a supervisor would. */
export class Servers {
  readonly #slots: Slot[] = []
  readonly #env: Record<string, string>
  readonly #hooks: Hooks
  #stopping = false

  private constructor(env: Record<string, string>, hooks: Hooks) {
    this.#env = env
    this.#hooks = hooks
  }

  static async start(count: number, env: Record<string, string>, hooks: Hooks): Promise<Servers> {
    const servers = new Servers(env, hooks)
    for (let number = 0; number < count; number++)
      servers.#slots.push({
        number,
        port: await freePort(),
        process: undefined,
        startedAt: 0,
        failpoint: 0,
        endedAt: Date.now(),
      })
    // One after another: the first makes the tables.
    for (const slot of servers.#slots) await servers.#run(slot)
    return servers
  }

  /** Addresses of the servers that answer. */
  get ready(): string[] {
    return this.#slots.flatMap(slot => (slot.process ? [slot.process.baseUrl] : []))
  }

  /** The last lines of the logs about a request or timer that failed for a reason in the program. */
  get failures(): string {
    const lines = this.#slots.flatMap(slot => slot.process?.output().split('\n') ?? [])
    return lines
      .filter(line => /"(?:request|timer) failed"/.test(line))
      .slice(-2)
      .join('\n')
      .slice(0, 3000)
  }

  get count(): number {
    return this.#slots.length
  }

  get allAreReady(): boolean {
    return this.ready.length === this.#slots.length
  }

  /** Kills up to `count` of the servers that are there. They are started again, and end themselves at their statement `failpoint`. */
  kill(count: number, failpoint = 0): void {
    const running = this.#slots.filter(slot => slot.process).toSorted((a, b) => a.startedAt - b.startedAt)
    for (const slot of running.slice(0, count)) {
      slot.failpoint = failpoint
      slot.process?.child.kill('SIGKILL')
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const slot of this.#slots) await slot.process?.end('SIGTERM')
  }

  async #run(slot: Slot): Promise<void> {
    const deadline = Date.now() + START_MS
    for (;;) {
      try {
        const server = await startServerProcess({
          ...this.#env,
          PORT: String(slot.port),
          SVC_FAILPOINTS: String(slot.failpoint),
        })
        slot.process = server
        slot.startedAt = Date.now()
        this.#hooks.onReady(Date.now() - slot.endedAt)
        server.child.once('close', () => void this.#onExit(slot, server))
        if (server.child.exitCode !== null || server.child.signalCode !== null)
          void this.#onExit(slot, server)
        return
      } catch (error) {
        const words = (error as Error).message.slice(-PRINTED)
        if (words.includes('failpoint:')) this.#end(slot, 'failpoint', words)
        if (this.#stopping) return
        if (Date.now() > deadline) return this.#hooks.onFailedStart(words)
        slot.failpoint = 0
        await sleep(200)
      }
    }
  }

  async #onExit(slot: Slot, server: ServerProcess): Promise<void> {
    if (slot.process !== server) return
    slot.process = undefined
    if (this.#stopping) return
    const printed = server.output()
    const fatal = printed.split('\n').find(line => line.includes('"level":"fatal"')) ?? ''
    const words = fatal.slice(0, PRINTED) + printed.slice(-PRINTED)
    const isKilled = server.child.signalCode === 'SIGKILL'
    this.#end(slot, words.includes('failpoint:') ? 'failpoint' : isKilled ? 'kill' : 'unexpected', words)
    await this.#run(slot)
  }

  #end(slot: Slot, how: Ending, words: string): void {
    slot.endedAt = Date.now()
    this.#hooks.onEnd(how, words)
    if (how === 'failpoint') slot.failpoint = 0
  }
}
