import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../db.ts'
import { fault, faultTable, invalid } from '../fault.ts'
import { newId, randomToken } from '../id.ts'
import { feeCents, testCards, type TestCard } from './cards.ts'
import { Notifier, type Notice, type NotifierContext } from './notifier.ts'
import {
  CardDeclined, NoAnswer, type Charge, type ChargeOrder, type Checkout, type CheckoutOrder, type Outcome, type Processor,
} from './processor.ts'
import {
  completeObject, insertObject, insertOutage, objectById, objectByKey, takeOutage, type OutageKind, type ProcessorObject,
} from './sandbox-sql.ts'

const SANDBOX = faultTable({
  CHECKOUT_NOT_FOUND: [404, 'Checkout not found'],
  CHECKOUT_PAID: [409, 'Checkout already paid'],
  CARD_DECLINED: [400, 'Card declined'],
})

export interface SandboxContext extends NotifierContext {
  /** Address that people reach; the hosted page stands there. */
  publicUrl: string
}

/** What calls of the processor meet: `not_reached` does nothing, `answer_lost` does what was asked; neither answers. */
export interface OutageOrder {
  kind: OutageKind
  /** How many calls. */
  count: number
  /** How long a call waits before its connection breaks. */
  delayMs?: number
  /** Whether nothing is ever notified of what they did. */
  silent?: boolean
}

type Metadata = { paymentId: string; installation: string }
interface PaymentFields {
  id: string
  cents: number
  description: string
  card: TestCard
  metadata: Metadata
  silent?: boolean
}
type Session = { amount_total: number; description: string; success_url: string | null; metadata: Metadata }
type Payment = {
  id: string
  amount_received: number
  balance_transaction?: { fee: number }
  last_payment_error?: { code: string; message: string }
}

/** A card processor without the outside world: same answers, same signed notifications, test cards only. */
export class SandboxProcessor implements Processor {
  readonly notifier: Notifier
  readonly #context: SandboxContext

  constructor(context: SandboxContext) {
    this.#context = context
    this.notifier = new Notifier(context)
  }

  charge({ id, cents, description, installation, paymentMethodId }: ChargeOrder): Promise<Charge> {
    return this.#call(async silent => {
      const card = cardOf(paymentMethodId)
      const order = { id, cents, description, card, silent, metadata: { paymentId: id, installation } }
      const { payment, events } = await this.#context.db.transaction(tx => this.#pay(tx, order))
      for (const event of events) this.notifier.sendSoon(event)
      if (card.declined) throw new CardDeclined(card.declined.code, card.declined.message, payment.id)
      return { processorId: payment.id }
    })
  }

  openCheckout({ id, cents, description, installation, returnUrl }: CheckoutOrder): Promise<Checkout> {
    return this.#call(async () => {
      const metadata = { paymentId: id, installation }
      const session: Session = { amount_total: cents, description, success_url: returnUrl, metadata }
      const object: ProcessorObject = { id: `cs_test_${randomToken(18)}`, kind: 'checkout.session', status: 'open', body: session }
      const { db, clock, publicUrl } = this.#context
      const opened = await db.maybe(insertObject({ ...object, key: id, at: clock.real() }))
        ?? await db.one(objectByKey('checkout.session', id))
      return { checkoutId: opened.id, url: `${publicUrl}/sandbox/checkout/${opened.id}` }
    })
  }

  outcomeOf(id: string): Promise<Outcome> {
    return this.#call(async () => {
      const found = await this.#context.db.maybe(objectByKey('payment_intent', id))
      if (!found) return { state: 'none' }
      const { id: processorId, amount_received: cents, balance_transaction: kept, last_payment_error: declined } = found.body as Payment
      if (declined) return { state: 'declined', ...declined }
      return { state: 'paid', paid: { processorId, cents, currency: 'USD', feeCents: kept?.fee ?? 0 } }
    })
  }

  /** Lets the next calls go wrong, for every instance and over a restart. */
  async break({ kind, count, delayMs = 0, silent = false }: OutageOrder): Promise<void> {
    await this.#context.db.run(insertOutage({ id: newId(), kind, count, delay_ms: delayMs, silent }))
  }

  /** The hosted page's data. Fault 404. */
  async checkout(checkoutId: string): Promise<{ id: string; status: string; cents: number; description: string; returnUrl: string | null }> {
    const { status, session } = await this.#session(checkoutId)
    return { id: checkoutId, status, cents: session.amount_total, description: session.description, returnUrl: session.success_url }
  }

  /** Pays a hosted page with a payment method or card number; returns when its notifications were sent once. */
  async payCheckout(checkoutId: string, method: string): Promise<void> {
    const card = cardOf(method)
    const { session } = await this.#session(checkoutId)
    const { events } = await this.#context.db.transaction(async tx => {
      const { metadata, description, amount_total: cents } = session
      const order = { id: metadata.paymentId, cents, description, card, metadata }
      if (card.declined) return this.#pay(tx, { ...order, id: `${order.id}/${randomToken(6)}` })
      const completed = await tx.maybe(completeObject(checkoutId, { ...session }))
      if (!completed) throw fault(SANDBOX.CHECKOUT_PAID)
      const paid = await this.#pay(tx, order)
      const object = { id: checkoutId, object: 'checkout.session', status: 'complete', payment_status: 'paid', payment_intent: paid.payment.id, currency: 'usd', ...session, ...paid.settled }
      return { ...paid, events: [...paid.events, await this.notifier.write(tx, { type: 'checkout.session.completed', object })] }
    })
    for (const event of events) await this.notifier.send(event)
    if (card.declined) throw fault(SANDBOX.CARD_DECLINED, { hint: card.declined.message })
  }

  /** Any event that a test asks for; without a delay it returns when it was sent once. */
  async emit(notice: Notice): Promise<{ id: string; delivered: boolean }> {
    const event = await this.#context.db.transaction(tx => this.notifier.write(tx, notice))
    return { id: event.id, delivered: notice.delayMs ? false : await this.notifier.send(event) }
  }

  /** A call as it comes over the wire: what it does, or nothing, and then perhaps no answer. */
  async #call<T>(work: (silent: boolean) => Promise<T>): Promise<T> {
    const outage = await this.#context.db.maybe(takeOutage())
    if (!outage) return work(false)
    if (outage.kind === 'answer_lost') await work(outage.silent).catch(() => undefined)
    await sleep(outage.delay_ms, undefined, { ref: false })
    throw new NoAnswer(`sandbox processor: ${outage.kind}`)
  }

  async #session(checkoutId: string): Promise<{ status: string; session: Session }> {
    const found = await this.#context.db.maybe(objectById('checkout.session', checkoutId))
    if (!found) throw fault(SANDBOX.CHECKOUT_NOT_FOUND)
    return { status: found.status, session: found.body as Session }
  }

  /** One payment and its notification; asked again with the same id it answers the first and notifies of nothing. */
  async #pay(tx: Tx, { id, cents, description, card, metadata, silent }: PaymentFields) {
    const status = card.declined ? 'requires_payment_method' : 'succeeded'
    const fee = feeCents(cents)
    const settled = { balance_transaction: { fee, net: cents - fee } }
    const body = {
      id: `pi_${randomToken(18)}`, object: 'payment_intent', amount: cents, amount_received: card.declined ? 0 : cents, currency: 'usd', status, description,
      payment_method: card.id, livemode: false, metadata, ...(card.declined ? { last_payment_error: card.declined } : settled),
    }
    const written = await tx.maybe(insertObject({ id: body.id, kind: 'payment_intent', key: id, status, body, at: this.#context.clock.real() }))
    if (!written) return { payment: await tx.one(objectByKey('payment_intent', id)), settled, events: [] }
    if (silent) return { payment: written, settled, events: [] }
    const type = card.declined ? 'payment_intent.payment_failed' : 'payment_intent.succeeded'
    return { payment: written, settled, events: [await this.notifier.write(tx, { type, object: body })] }
  }
}

function cardOf(method: string): TestCard {
  const wanted = method.replaceAll(/[\s-]/g, '')
  const card = testCards.find(({ id, number }) => wanted === id || wanted === number)
  if (!card) throw invalid(`no such payment method or card: the sandbox knows ${testCards.map(({ id }) => id).join(', ')}`)
  return card
}
