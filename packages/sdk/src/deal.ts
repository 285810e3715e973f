import type { Svc } from './client.ts'
import { DealError } from './errors.ts'
import type { BodyOf, ResultOf } from './operations.ts'
import type { components } from './schema.ts'
import { sleep } from './transport.ts'

export type Negotiation = components['schemas']['Negotiation']
export type DealStatus = Negotiation['status']

type Without<T, K extends string> = Omit<T, K>
export type Delivery = Without<BodyOf<'POST /ap2/deliver'>, 'negotiationId'>
export type Answer = Pick<BodyOf<'POST /ap2/respond'>, 'terms' | 'notes' | 'estimatedDelivery' | 'acceptance'>
export type Payment = Without<BodyOf<'POST /payments/ap2/initiate'>, 'negotiationId'>
export type Release = Without<BodyOf<'POST /payments/ap2/release'>, 'escrowId'>

/** What `until` accepts beside the statuses. */
export interface Wait {
  signal?: AbortSignal | undefined
  /** Time between two readings; it grows to ten seconds. */
  intervalMs?: number
  /** Called with every new status. */
  onStatus?: ((deal: Deal) => void) | undefined
}

const ENDED: ReadonlySet<string> = new Set([
  'COMPLETED',
  'REFUNDED',
  'SPLIT',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
])

/** A deal between a buyer and an agent: a negotiation, its escrow and its deliveries. */
export class Deal {
  /** As the service last showed it. */
  data: Negotiation
  readonly #svc: Svc

  constructor(svc: Svc, data: Negotiation) {
    this.#svc = svc
    this.data = data
  }

  get id(): string {
    return this.data.id
  }
  get status(): DealStatus {
    return this.data.status
  }
  /** What the buyer wants, in its words. */
  get requestedService(): string {
    return this.data.requestedService
  }
  get requirements(): unknown {
    return this.data.requirements
  }
  get price(): number {
    return this.data.price
  }

  /** Whether the caller may do this now: `accept`, `deliver`, `release` and so on. */
  can(action: string): boolean {
    return [...this.data.allowedActions, ...(this.data.escrow?.allowedActions ?? [])].includes(action)
  }

  async refresh(signal?: AbortSignal): Promise<this> {
    this.data = await this.#svc.request('GET /ap2/negotiations/{id}', {
      path: { id: this.id },
      ...(signal ? { signal } : {}),
    })
    return this
  }

  accept(answer: Answer = {}): Promise<this> {
    return this.#respond({ ...answer, status: 'ACCEPTED' })
  }
  reject(answer: Answer = {}): Promise<this> {
    return this.#respond({ ...answer, status: 'REJECTED' })
  }
  counter(price: number | string, answer: Answer = {}): Promise<this> {
    return this.#respond({ ...answer, status: 'COUNTERED', price })
  }

  /** Says that the work has begun. Delivering does it too. */
  async start(): Promise<this> {
    this.data = await this.#svc.request('POST /ap2/start', { body: { negotiationId: this.id } })
    return this
  }

  /**
   * Delivers a result, a page or files. An InvalidRequestError with the reason if the verification fails; deliver again. The
   * delivery is VERIFYING while a checker of the buyer needs longer: the event `deal.delivery_failed` says that it failed.
   */
  async deliver(delivery: Delivery): Promise<ResultOf<'POST /ap2/deliver'>> {
    const delivered = await this.#svc.request('POST /ap2/deliver', {
      body: { ...delivery, negotiationId: this.id },
    })
    this.data = delivered.negotiation
    return delivered
  }

  /** The buyer pays into escrow, from the wallet unless `rail` says otherwise. */
  async pay(payment: Payment = {}): Promise<ResultOf<'POST /payments/ap2/initiate'>> {
    const paid = await this.#svc.request('POST /payments/ap2/initiate', {
      body: { ...payment, negotiationId: this.id },
    })
    await this.refresh()
    return paid
  }

  /** The buyer pays the agent out of the escrow. */
  async release(release: Release = {}): Promise<ResultOf<'POST /payments/ap2/release'>> {
    const settled = await this.#svc.request('POST /payments/ap2/release', {
      body: { ...release, escrowId: this.#escrowId() },
    })
    await this.refresh()
    return settled
  }

  async requestChanges(reason: string): Promise<this> {
    await this.#svc.request('POST /payments/escrow/{id}/changes', {
      path: { id: this.#escrowId() },
      body: { reason },
    })
    return this.refresh()
  }

  async dispute(reason: string): Promise<this> {
    await this.#svc.request('POST /payments/escrow/{id}/dispute', {
      path: { id: this.#escrowId() },
      body: { reason },
    })
    return this.refresh()
  }

  async cancel(): Promise<this> {
    this.data = await this.#svc.request('POST /ap2/cancel', { body: { negotiationId: this.id } })
    return this
  }

  /** Waits for one of the statuses. Throws a DealError if the deal ends in another one. */
  async until(statuses: DealStatus | readonly DealStatus[], wait: Wait = {}): Promise<this> {
    let interval = wait.intervalMs ?? 500
    let last: DealStatus | undefined
    for (;;) {
      await this.refresh(wait.signal)
      if (this.status !== last) wait.onStatus?.(this)
      last = this.status
      if (statuses.includes(last)) return this
      if (ENDED.has(last)) throw new DealError(`The deal ended: ${last}`)
      await sleep(interval, wait.signal)
      interval = Math.min(interval * 1.2, 10_000)
    }
  }

  async #respond(body: Without<BodyOf<'POST /ap2/respond'>, 'negotiationId'>): Promise<this> {
    this.data = await this.#svc.request('POST /ap2/respond', { body: { ...body, negotiationId: this.id } })
    return this
  }

  #escrowId(): string {
    const { escrowId } = this.data
    if (!escrowId) throw new DealError('The deal is not paid into escrow yet')
    return escrowId
  }
}
