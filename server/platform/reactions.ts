import type { Tx } from './db.ts'
import type { Leg } from './money.ts'

/**
 * Facts that a lower module announces inside its own transaction and upper modules follow.
 * Each module adds its facts by declaration merging:
 *   declare module '#platform/reactions' { interface Facts { 'agent.claimed': { agentId: string } } }
 */
export interface Facts {}

/** What a follower gives the announcer: legs for its journal, fields for its answer. */
export interface Reply {
  legs?: readonly Leg[]
  data?: Record<string, unknown>
}

type Follower<Fact> = (tx: Tx, fact: Fact) => Promise<Reply | void>

/** The bound followers of each fact, in order; filled by app/reactions.ts alone. */
export class Reactions {
  readonly #followers = new Map<string, Follower<never>[]>()

  on<Name extends keyof Facts>(name: Name, follower: Follower<Facts[Name]>): this {
    const list = this.#followers.get(name) ?? []
    list.push(follower)
    this.#followers.set(name, list)
    return this
  }

  followers(name: string): readonly Follower<never>[] {
    return this.#followers.get(name) ?? []
  }
}

/** Announces a fact: runs its followers in this transaction, in order; a failure rolls all of it back. */
export async function react<Name extends keyof Facts>(tx: Tx, name: Name, fact: Facts[Name]): Promise<{ legs: Leg[]; data: Record<string, unknown> }> {
  const legs: Leg[] = []
  const data: Record<string, unknown> = {}
  for (const follower of tx.reactions.followers(name)) {
    const reply = await follower(tx, fact as never)
    if (reply?.legs) legs.push(...reply.legs)
    if (reply?.data) Object.assign(data, reply.data)
  }
  return { legs, data }
}
