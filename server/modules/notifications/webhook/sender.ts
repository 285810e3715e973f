import { agentKeys } from '#agents'
import type { Dialer } from '#platform/adapters/egress/dialer'
import { EgressRefused } from '#platform/adapters/egress/dialer'
import { FetchFailed, fetchThrough } from '#platform/adapters/egress/fetch'
import { signWebhook } from '#platform/http/webhook-signature'
import { after, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { eventId, eventView } from '../events/view.ts'
import { recordOutcome, type Outcome } from './outcome.ts'
import { claimDeliveries, type ClaimedDelivery } from './sql.ts'

const PLACES = 64
/** Of these for endpoints whose last attempt failed: each may take as long as an attempt may. */
const FAILING_PLACES = PLACES / 2
const PER_AGENT = 4
const TIMEOUT_MS = 10 * SECOND
/** Longer than an attempt takes: after it, another instance may send the delivery. */
const LEASE_MS = MINUTE
const STOP_MS = 2000

/**
 * Sends due deliveries, several at a time and at most a few to one agent, so that a slow receiver delays only itself. Those
 * that fail get one at a time, and half of the places together.
 */
export class WebhookSender {
  readonly #services: Services
  readonly #dialer: Dialer
  readonly #running = new Map<string, number>()
  readonly #attempts = new Set<Promise<void>>()
  #failing = 0
  #isStopped = false

  constructor(services: Services, dialer: Dialer) {
    this.#services = services
    this.#dialer = dialer
  }

  /** Begins the attempts that are due; returns before they end. */
  async round(): Promise<void> {
    const limit = PLACES - this.#attempts.size
    if (limit <= 0 || this.#isStopped) return
    const { db, clock } = this.#services
    const real = clock.real()
    const rows = await db.polls.rows(
      claimDeliveries({
        now: clock.now(),
        real,
        leasedUntil: after(real, LEASE_MS),
        running: this.#running,
        perAgent: PER_AGENT,
        limit,
        failingLimit: FAILING_PLACES - this.#failing,
      }),
    )
    for (const { id, attempts, url, failing, eventId: event, ...rest } of rows)
      this.#begin({ id, attempts, url, failing, agentId: rest.agentId, event: { ...rest, id: event } })
  }

  /** Waits a moment for attempts under way. One that is cut off is repeated by another instance, or after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const late = new Promise<void>(resolve => setTimeout(resolve, STOP_MS).unref())
    await Promise.race([Promise.all(this.#attempts), late])
  }

  #begin(delivery: ClaimedDelivery): void {
    const { agentId, failing } = delivery
    this.#running.set(agentId, (this.#running.get(agentId) ?? 0) + 1)
    if (failing) this.#failing++
    const attempt = this.#attempt(delivery).finally(() => {
      this.#attempts.delete(attempt)
      if (failing) this.#failing--
      const left = (this.#running.get(agentId) ?? 1) - 1
      if (left) this.#running.set(agentId, left)
      else this.#running.delete(agentId)
    })
    this.#attempts.add(attempt)
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { log } = this.#services
    try {
      await recordOutcome(this.#services, delivery, await this.#send(delivery))
      if (!this.#isStopped) await this.round()
    } catch (err) {
      // The lease ends, and the delivery is sent again.
      if (!this.#isStopped) log.error({ err, delivery: delivery.id }, 'webhook attempt not recorded')
    }
  }

  async #send({ url, event }: ClaimedDelivery): Promise<Outcome> {
    const { db, clock } = this.#services
    const body = JSON.stringify(eventView(event))
    const timestamp = Math.floor(clock.real().getTime() / SECOND)
    const secrets = await agentKeys.webhookSecrets.webhookSecretsOf(
      db,
      this.#services,
      event.agentId,
      clock.now(),
    )
    try {
      const { status } = await fetchThrough(this.#dialer, url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'svc-webhooks/1.0',
          ...signWebhook(secrets, { id: eventId(event.id), timestamp, body }),
        },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: 0,
        maxRedirects: 0,
        // The status is the answer.
        read: async () => Buffer.alloc(0),
      })
      const isOk = status >= 200 && status <= 299
      return { isOk, status, error: isOk ? null : `the endpoint answered ${status}` }
    } catch (error) {
      if (error instanceof FetchFailed || error instanceof EgressRefused)
        return { isOk: false, status: null, error: error.message, code: error.code }
      throw error
    }
  }
}
