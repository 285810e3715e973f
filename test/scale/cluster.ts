import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Balancer, freePort, startServerProcess, type ServerProcess } from '#test'
import { ADMIN } from '../../bench/deals/players.ts'

/** How often the balancer asks whether a process is ready. */
const CHECK_MS = 200
/** More than two checks, as docs/OPERATIONS.md recommends. */
const STOP_DELAY_SECONDS = '1'

/** Server processes on one database, each with a data folder of its own, behind one balancer. */
export class Cluster {
  readonly balancer: Balancer
  readonly #env: Record<string, string>
  readonly #folder: string
  readonly #processes: ServerProcess[] = []
  #started = 0

  private constructor(balancer: Balancer, folder: string, env: Record<string, string>) {
    this.balancer = balancer
    this.#folder = folder
    this.#env = {
      SVC_MASTER_KEY: randomBytes(32).toString('hex'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      PUBLIC_URL: balancer.url,
      STOP_DELAY_SECONDS,
      // The runs count how many of hundreds of parallel requests pass.
      OVERLOAD_LATE_MS: '0',
      ...env,
    }
  }

  /** `env` has DATABASE_URL and whatever else the processes need. */
  static async open(count: number, env: Record<string, string>): Promise<Cluster> {
    const balancer = await Balancer.open({ checkEveryMs: CHECK_MS })
    const folder = await mkdtemp(join(tmpdir(), 'svc-scale-'))
    const cluster = new Cluster(balancer, folder, env)
    for (let n = 0; n < count; n++) await cluster.start()
    return cluster
  }

  get url(): string {
    return this.balancer.url
  }

  /** Addresses of the single processes. */
  get urls(): string[] {
    return this.#processes.map(({ baseUrl }) => baseUrl)
  }

  /** Ends each process by SIGTERM and starts another in its place, one after another; returns their exit codes. */
  async restartAll(): Promise<(number | null)[]> {
    const codes: (number | null)[] = []
    for (let left = this.#processes.length; left; left--) {
      codes.push(await this.endOldest())
      await this.start()
    }
    return codes
  }

  /** Ends the oldest process by SIGTERM; returns its exit code. */
  async endOldest(): Promise<number | null> {
    const [oldest] = this.#processes.splice(0, 1)
    if (!oldest) throw new Error('no process is left')
    return oldest.end('SIGTERM')
  }

  async close(): Promise<void> {
    for (const each of this.#processes) await each.end('SIGTERM')
    await this.balancer.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Starts another process, to which the balancer sends requests when it is ready. */
  async start(): Promise<void> {
    const PORT = String(await freePort())
    const SVC_DATA_DIR = join(this.#folder, String(this.#started++))
    const started = await startServerProcess({ ...this.#env, PORT, SVC_DATA_DIR })
    this.#processes.push(started)
    this.balancer.add(started.baseUrl)
  }
}
