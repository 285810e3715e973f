import type { Random } from '#test'
import type { Kind } from '../document/kinds.ts'
import { CHAINS, type Link } from './chains.ts'

export interface Found {
  kind: Kind
  value: string
  /** The request made it. */
  isNew: boolean
}

const PAIRS = [
  { first: 0, second: 1 },
  { first: 1, second: 0 },
  { first: 0, second: 2 },
  { first: 1, second: 2 },
  { first: 2, second: 1 },
]

/** The chain that a scenario is in, and what it is about. */
export class Progress {
  readonly #random: Random
  readonly #aboutOf: (tenant: number) => ReadonlyMap<Kind, string> | undefined
  #links: readonly Link[] = []
  #roles = { first: 0, second: 1 }
  focus = new Map<Kind, string>()

  constructor(random: Random, aboutOf: (tenant: number) => ReadonlyMap<Kind, string> | undefined) {
    this.#random = random
    this.#aboutOf = aboutOf
  }

  tenantOf = ({ by }: Link): number | undefined => (by === 'admin' ? undefined : this.#roles[by])

  /** The next request of the chain, sometimes of a new one. */
  next(): Link | undefined {
    if (!this.#links.length && this.#random.chance(0.08)) this.#begin()
    if (!this.#random.chance(0.6)) return undefined
    const [link, ...rest] = this.#links
    this.#links = rest
    return link
  }

  #begin(): void {
    const { links, about } = this.#random.pick(CHAINS)
    this.#links = links
    this.#roles = this.#random.pick(PAIRS)
    this.focus = new Map(this.#aboutOf(this.#roles[about]))
  }

  /** A chain ends with a refusal, and now and then by chance. */
  goOn(status: number, found: readonly Found[]): void {
    if (status >= 300 || this.#random.chance(0.07)) this.#links = []
    for (const { kind, value, isNew } of found)
      if (isNew || !this.focus.has(kind)) this.focus.set(kind, value)
  }
}
