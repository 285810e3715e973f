import { setTimeout as sleep } from 'node:timers/promises'
import { Player, type Step } from '../../bench/deals/players.ts'

/** Clients that play one deal after the other, each over one connection, and send no request twice. */
export class Load {
  /** Completed deals. */
  deals = 0
  requests = 0
  /** Each request that did not answer 2xx. */
  readonly failures: string[] = []
  readonly #players: readonly Player[]
  /** Of a client before each request. */
  pauseMs: number
  readonly #running: Promise<void>[]
  #isStopping = false

  private constructor(players: readonly Player[], pauseMs: number) {
    this.pauseMs = pauseMs
    this.#players = players
    this.#running = players.map(player => this.#run(player))
  }

  /** With a pause a test leaves the processor to the processes that it starts. */
  static async start(baseUrl: string, clients: number, pauseMs = 0): Promise<Load> {
    const players: Player[] = []
    for (let n = 0; n < clients; n++) players.push(await Player.open(baseUrl))
    return new Load(players, pauseMs)
  }

  /** Returns when `count` more deals are completed. */
  async more(count: number): Promise<void> {
    const target = this.deals + count
    while (this.deals < target && !this.failures.length) await sleep(20)
  }

  /** Finishes the deals that are under way. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#running)
    for (const player of this.#players) player.close()
  }

  async #run(player: Player): Promise<void> {
    const count = async (
      _step: Step,
      work: () => ReturnType<Parameters<Parameters<Player['playDeal']>[0]>[1]>,
    ) => {
      if (this.pauseMs) await sleep(this.pauseMs)
      this.requests++
      return work()
    }
    while (!this.#isStopping)
      await player.playDeal(count).then(
        () => this.deals++,
        (error: Error) => {
          this.failures.push(error.message)
          this.#isStopping ||= this.failures.length > 100
        },
      )
  }
}
