import { after, SECOND, type Clock } from '#platform/kernel/clock'
import type { Db, Tx } from '#platform/kernel/db'
import { randomToken } from '#platform/kernel/id'
import type { Log } from '#platform/adapters/log/log'
import { Loop } from '#platform/kernel/background/loop'
import { inTime } from '#platform/kernel/background/in-time'
import { webhookOf } from '../port.ts'
import { claimDueEvents, eventDelivered, insertEvent, retryEvent, type EventRow } from './sql.ts'
import { signatureHeader } from '../signature.ts'

const TIMEOUT = 10 * SECOND
/** While one instance tries, no other does. */
const LEASE = 15 * SECOND
const MAX_ATTEMPTS = 25

export interface NotifierContext {
  db: Db
  clock: Clock
  log: Log
  /** Where the webhooks listen, without a slash at its end. */
  webhookUrl: string
  secret(): Promise<string>
}

export interface Notice {
  type: string
  object: Record<string, unknown>
  /** The connected account that it happened on. */
  account?: string
  delayMs?: number
  /** How many times the same event is sent, at once: processors promise at least once, no more. */
  copies?: number
}

/**
 * The sandbox processor's notifications: stored in the transaction of the change, sent as signed requests over
 * real HTTP, and sent again with growing pauses until they are answered with 2xx, over a crash too.
 */
export class Notifier {
  readonly #context: NotifierContext
  readonly #loop: Loop
  readonly #sending = new Set<Promise<boolean>>()

  constructor(context: NotifierContext) {
    this.#context = context
    this.#loop = new Loop('sandbox processor', SECOND / 2, context.log, () => this.#sendDue())
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.idle()
  }

  /** Returns when every first attempt that was started has ended. */
  async idle(): Promise<void> {
    while (this.#sending.size) await Promise.all(this.#sending)
  }

  /** Writes an event of this transaction. `send` it after the commit, or the loop does. */
  async write(tx: Tx, { type, object, account, delayMs, copies = 1 }: Notice): Promise<EventRow> {
    const now = this.#context.clock.real()
    const id = `evt_${randomToken(18)}`
    const body = JSON.stringify({
      id,
      object: 'event',
      type,
      created: Math.floor(now.getTime() / 1000),
      livemode: false,
      pending_webhooks: 1,
      ...(account ? { account } : {}),
      data: { object },
    })
    const row = { id, path: webhookOf(type), body, copies, attempts: 0 }
    await tx.run(insertEvent({ ...row, at: now, due: after(now, delayMs ?? LEASE) }))
    return row
  }

  /** One attempt that nobody waits for. */
  sendSoon(event: EventRow): void {
    const sending = this.send(event).finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  /** One attempt, now; answers whether every copy was taken. Never throws. */
  async send(event: EventRow): Promise<boolean> {
    const { db, clock, log } = this.#context
    try {
      const statuses = await Promise.all(Array.from({ length: event.copies }, () => this.#post(event)))
      const refused = statuses.find(status => status < 200 || status > 299)
      if (refused) throw new Error(`the webhook answered ${refused}`)
      await db.run(eventDelivered(event.id, clock.real()))
      return true
    } catch (error) {
      log.warn(
        { err: error, event: event.id, attempt: event.attempts },
        'sandbox processor: notification not delivered, will be sent again',
      )
      const again =
        event.attempts < MAX_ATTEMPTS
          ? after(clock.real(), Math.min(SECOND * 2 ** event.attempts, 300 * SECOND))
          : null
      await db
        .run(retryEvent(event.id, again))
        .catch((failure: unknown) => log.error({ err: failure, event: event.id }, 'sandbox processor'))
      return false
    }
  }

  async #post({ path, body }: EventRow): Promise<number> {
    const { webhookUrl, clock, secret } = this.#context
    const exchange = fetch(webhookUrl + path, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
      headers: {
        'content-type': 'application/json',
        'payment-processor-signature': signatureHeader(body, await secret(), clock.real()),
      },
    }).then(async answer => {
      await answer.body?.cancel()
      return answer.status
    })
    // The signal alone does not end it when the connection is lost while the service stops, which then never stops.
    return inTime(exchange, TIMEOUT + SECOND)
  }

  async #sendDue(): Promise<void> {
    const { db, clock } = this.#context
    for (;;) {
      const now = clock.real()
      const events = await db.rows(claimDueEvents(now, after(now, LEASE)))
      if (!events.length) return
      await Promise.all(events.map(event => this.send(event)))
    }
  }
}
