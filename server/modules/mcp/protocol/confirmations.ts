import { randomUUID } from 'node:crypto'
import { Listener } from '#platform/kernel/database/listener'
import { MINUTE } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { isRecord } from '#platform/kernel/unknown'
import { notify } from '../sql.ts'

const CHANNEL = 'svc_mcp'
/** How long a user may take. */
const WAIT_MS = 5 * MINUTE

export type Outcome = 'accepted' | 'declined' | 'cancelled' | 'expired'

/** A tool call of one client: ids of JSON-RPC are unique only within a session. */
export interface CallOrigin {
  accountId: string
  sessionId: string
  requestId: string
}

/** What a client says later about a call, perhaps to another process: its user's answer, or that it gave up. */
export type Reply = Pick<CallOrigin, 'accountId' | 'sessionId'> &
  ({ kind: 'answer'; id: string; outcome: Outcome } | { kind: 'cancel'; requestId: string })

interface Pending {
  origin: CallOrigin
  resolve(outcome: Outcome): void
}

/**
 * The questions to users that wait for an answer. A question belongs to the process that holds the open response of its tool
 * call; an answer that reaches another process goes to it by NOTIFY.
 */
export class Confirmations {
  readonly #pending = new Map<string, Pending>()
  readonly #db: Services['db']
  readonly #listener: Listener

  constructor({ db, log }: Pick<Services, 'db' | 'log'>) {
    this.#db = db
    this.#listener = new Listener(db, log, CHANNEL, text => this.#receive(text))
  }

  /** Sends a question by `send`, and waits for its answer. */
  async ask(
    origin: CallOrigin,
    { send, closed }: { send(id: string): Promise<void>; closed: AbortSignal },
  ): Promise<Outcome> {
    await this.#listener.ready()
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const giveUp = () => resolve('cancelled')
    const timer = setTimeout(resolve, WAIT_MS, 'expired')
    this.#pending.set(id, { origin, resolve })
    closed.addEventListener('abort', giveUp)
    try {
      if (closed.aborted) giveUp()
      else await send(id)
      return await promise
    } finally {
      clearTimeout(timer)
      closed.removeEventListener('abort', giveUp)
      this.#pending.delete(id)
    }
  }

  async reply(reply: Reply): Promise<void> {
    if (!this.#apply(reply)) await this.#db.run(notify(CHANNEL, reply))
  }

  /** Before the service waits for open requests. */
  cancelAll(): void {
    for (const { resolve } of this.#pending.values()) resolve('cancelled')
  }

  stop(): Promise<void> {
    return this.#listener.stop()
  }

  #apply(reply: Reply): boolean {
    const found = [...this.#pending].filter(
      ([id, { origin }]) =>
        origin.accountId === reply.accountId &&
        origin.sessionId === reply.sessionId &&
        (reply.kind === 'answer' ? id === reply.id : origin.requestId === reply.requestId),
    )
    for (const [, { resolve }] of found) resolve(reply.kind === 'answer' ? reply.outcome : 'cancelled')
    return found.length > 0
  }

  #receive(text: string): void {
    const reply: unknown = JSON.parse(text)
    // Only processes of this service write to the channel.
    if (isRecord(reply)) this.#apply(reply as Reply)
  }
}
