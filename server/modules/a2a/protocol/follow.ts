import { setTimeout as sleep } from 'node:timers/promises'
import { dealTasks } from '#ap2'
import { serviceAccounts } from '#identity'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { asRpcError } from './rpc.ts'
import { isAtRest, readTask, type Task } from './task.ts'

const LOOK_MS = 500
/** A client that wants more subscribes again. */
const FOLLOW_MS = 5 * MINUTE
/** How long a `message/send` with `blocking` is held open. */
export const BLOCK_MS = 20 * SECOND
const OPEN_MAX = 20

/** Follows tasks for requests that are held open, a limited number for each account, until the service stops. */
export class TaskFollower {
  readonly #services: Pick<Services, 'db' | 'clock' | 'publicUrl'>
  readonly #stop = new AbortController()
  readonly #open = new Map<string, number>()

  constructor(services: Pick<Services, 'db' | 'clock' | 'publicUrl'>) {
    this.#services = services
  }

  stop(): void {
    this.#stop.abort()
  }

  /**
   * Takes one of the account's places and returns what frees it, to be called once. ApiError 429 if none is left: taken
   * before a message is acted on, so that no paid hire is answered with that refusal.
   */
  takePlace({ principal: { accountId } }: RequestContext): () => void {
    const open = this.#open.get(accountId) ?? 0
    if (open >= OPEN_MAX)
      throw apiError(COMMON.RATE_LIMITED, { hint: `At most ${OPEN_MAX} tasks are followed at the same time` })
    this.#open.set(accountId, open + 1)
    return () => {
      const left = (this.#open.get(accountId) ?? 1) - 1
      if (left) this.#open.set(accountId, left)
      else this.#open.delete(accountId)
    }
  }

  /**
   * The task once it is at rest, or as it is when the time is over. It was paid before: that the waiting is refused, such
   * as by a credential that ended, is no reason to withhold it.
   */
  async settled(ctx: RequestContext, task: Task, closed: AbortSignal): Promise<Task> {
    let last = task
    try {
      for await (const each of this.follow(ctx, task, { closed, ms: BLOCK_MS })) last = each
    } catch (error) {
      // Throws what is no refusal.
      asRpcError(error)
    }
    return last
  }

  /**
   * The task after each of its changes, the present state first, until it is at rest, the time is over or the client has
   * closed. ApiError 401 once the credential of the request has ended. The caller holds a place.
   */
  async *follow(
    ctx: RequestContext,
    first: Task,
    { closed, ms = FOLLOW_MS }: { closed: AbortSignal; ms?: number },
  ): AsyncGenerator<Task> {
    const { id } = first
    const signal = AbortSignal.any([closed, this.#stop.signal])
    const deadline = performance.now() + ms
    let task = first
    let seen: string | null = null
    for (;;) {
      const { version } = await this.#services.db.one(dealTasks.taskVersion(id))
      if (version !== seen) {
        seen = version
        task = await this.#read(ctx, first)
        yield task
      }
      if (isAtRest(task) || performance.now() >= deadline || signal.aborted) return
      await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (closed.aborted) return
      await this.#requireCredential(ctx)
    }
  }

  #read = (ctx: RequestContext, { id, history }: Task): Promise<Task> => {
    const { db, publicUrl } = this.#services
    const asked = { id, agentId: null, historyLength: history.length, publicUrl }
    return db.snapshot(q => readTask(q, ctx, asked))
  }

  async #requireCredential(ctx: RequestContext): Promise<void> {
    const { db, clock } = this.#services
    const ended = await serviceAccounts.withEndedCredential(db, [ctx], clock.now())
    if (ended.length) throw apiError(COMMON.UNAUTHORIZED, { hint: 'The credential has ended' })
  }
}
