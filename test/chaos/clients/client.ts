import { Random } from '#test'
import type { Journal } from '../journal.ts'
import type { Api } from './api.ts'
import { deal } from './deals.ts'
import { ask, topUp } from './gateway.ts'
import type { Model } from './model.ts'
import { collect, fund, payOut, transfer, voucher } from './money.ts'
import type { Person } from './person.ts'

/** What one client works with. */
export interface Client {
  api: Api
  model: Model
  random: Random
  journal: Journal
  me: Person
  /** Another person. */
  other(): Person
  operator: Person['session']
}

export type Story = (client: Client) => Promise<void>

const STORIES: readonly (readonly [weight: number, story: Story])[] = [
  [35, deal],
  [20, transfer],
  [8, voucher],
  [6, fund],
  [6, payOut],
  [6, collect],
  [12, ask],
  [5, topUp],
]
/** As often as each is to be played. */
export const ALL_STORIES = STORIES.flatMap(([weight, story]) => Array.from({ length: weight }, () => story))

/** Plays stories one after another; between two of them it can be made to wait. */
export class Player {
  readonly #client: Client
  readonly #stories: readonly Story[]
  #isStopped = false
  #pause: Promise<void> | undefined
  #loop: Promise<void> | undefined
  isIdle = true

  constructor(client: Client, stories: readonly Story[]) {
    this.#client = client
    this.#stories = stories
  }

  start(): void {
    this.#loop = this.#play()
  }

  /** No story begins before `until`. */
  pause(until: Promise<void>): void {
    this.#pause = until
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#loop
  }

  async #play(): Promise<void> {
    const { random, journal } = this.#client
    while (!this.#isStopped) {
      await this.#pause
      if (this.#isStopped) return
      this.isIdle = false
      const story = random.pick(this.#stories)
      try {
        await story(this.#client)
        journal.count(`story: ${story.name}`)
      } catch (error) {
        // What the model expects of this client is unknown from here on.
        journal.find(`a client ended: ${(error as Error).message.slice(0, 300)}`)
        this.#isStopped = true
      }
      this.isIdle = true
    }
  }
}
