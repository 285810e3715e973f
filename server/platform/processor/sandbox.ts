import type { Tx } from '../db.ts'
import { fault, faultTable, invalid } from '../fault.ts'
import { randomToken } from '../id.ts'
import { feeCents, testCards, type TestCard } from './cards.ts'
import { Notifier, type Notice, type NotifierContext } from './notifier.ts'
import { CardDeclined, type Charge, type ChargeOrder, type Checkout, type CheckoutOrder, type Processor } from './processor.ts'
import { completeObject, insertObject, objectById, objectByKey, type EventRow, type ProcessorObject } from './sandbox-sql.ts'

const SANDBOX = faultTable({
  CHECKOUT_NOT_FOUND: [404, 'Checkout not found'],
  CHECKOUT_PAID: [409, 'Checkout already paid'],
  CARD_DECLINED: [400, 'Card declined'],
})

export interface SandboxContext extends NotifierContext {
  /** Address that people reach; the hosted page stands there. */
  publicUrl: string
}

interface PaymentFields { id: string; cents: number; description: string; card: TestCard }
type Session = { amount_total: number; description: string; success_url: string | null; metadata: { paymentId: string } }

/** A card processor without the outside world: same answers, same signed notifications, test cards only. */
export class SandboxProcessor implements Processor {
  readonly notifier: Notifier
  readonly #context: SandboxContext

  constructor(context: SandboxContext) {
    this.#context = context
    this.notifier = new Notifier(context)
  }

  async charge({ id, cents, description, paymentMethodId }: ChargeOrder): Promise<Charge> {
    const card = cardOf(paymentMethodId)
    const { payment, events } = await this.#context.db.transaction(tx => this.#pay(tx, { id, cents, description, card }))
    this.#sendSoon(events)
    if (card.declined) throw new CardDeclined(card.declined.code, card.declined.message, payment.id)
    return { processorId: payment.id }
  }

  async openCheckout({ id, cents, description, returnUrl }: CheckoutOrder): Promise<Checkout> {
    const session: Session = { amount_total: cents, description, success_url: returnUrl, metadata: { paymentId: id } }
    const object: ProcessorObject = { id: `cs_test_${randomToken(18)}`, kind: 'checkout.session', status: 'open', body: session }
    const { db, clock, publicUrl } = this.#context
    const opened = await db.maybe(insertObject({ ...object, key: id, at: clock.real() })) ?? await db.one(objectByKey('checkout.session', id))
    return { checkoutId: opened.id, url: `${publicUrl}/sandbox/checkout/${opened.id}` }
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
      const order = { id: session.metadata.paymentId, cents: session.amount_total, description: session.description, card }
      if (card.declined) return this.#pay(tx, { ...order, id: `${order.id}/${randomToken(6)}` }, order.id)
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

  async #session(checkoutId: string): Promise<{ status: string; session: Session }> {
    const found = await this.#context.db.maybe(objectById('checkout.session', checkoutId))
    if (!found) throw fault(SANDBOX.CHECKOUT_NOT_FOUND)
    return { status: found.status, session: found.body as Session }
  }

  /** One payment and its notification; asked again with the same id it answers the first and notifies of nothing. */
  async #pay(tx: Tx, { id, cents, description, card }: PaymentFields, paymentId = id) {
    const status = card.declined ? 'requires_payment_method' : 'succeeded'
    const fee = feeCents(cents)
    const settled = { balance_transaction: { fee, net: cents - fee } }
    const body = {
      id: `pi_${randomToken(18)}`, object: 'payment_intent', amount: cents, amount_received: card.declined ? 0 : cents, currency: 'usd', status, description,
      payment_method: card.id, livemode: false, metadata: { paymentId }, ...(card.declined ? { last_payment_error: card.declined } : settled),
    }
    const written = await tx.maybe(insertObject({ id: body.id, kind: 'payment_intent', key: id, status, body, at: this.#context.clock.real() }))
    if (!written) return { payment: await tx.one(objectByKey('payment_intent', id)), settled, events: [] }
    const type = card.declined ? 'payment_intent.payment_failed' : 'payment_intent.succeeded'
    return { payment: written, settled, events: [await this.notifier.write(tx, { type, object: body })] }
  }

  #sendSoon(events: readonly EventRow[]): void {
    for (const event of events) this.notifier.sendSoon(event)
  }
}

function cardOf(method: string): TestCard {
  const wanted = method.replaceAll(/[\s-]/g, '')
  const card = testCards.find(({ id, number }) => wanted === id || wanted === number)
  if (!card) throw invalid(`no such payment method or card: the sandbox knows ${testCards.map(({ id }) => id).join(', ')}`)
  return card
}
