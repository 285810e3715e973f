import { invalidRequest, missing, StripeRefusal, textOf, type Fields, type Item } from './stripe-wire.ts'

/** Stripe's test payment methods: error code, decline code and message. */
const DECLINES: Record<string, readonly [code: string, decline: string | undefined, message: string]> = {
  chargeDeclined: ['card_declined', 'generic_decline', 'Your card was declined.'],
  chargeDeclinedInsufficientFunds: [
    'card_declined',
    'insufficient_funds',
    'Your card has insufficient funds.',
  ],
  chargeDeclinedLostCard: ['card_declined', 'lost_card', 'Your card was declined.'],
  chargeDeclinedStolenCard: ['card_declined', 'stolen_card', 'Your card was declined.'],
  chargeDeclinedExpiredCard: ['expired_card', undefined, 'Your card has expired.'],
  chargeDeclinedIncorrectCvc: ['incorrect_cvc', undefined, "Your card's security code is incorrect."],
  chargeDeclinedProcessingError: ['processing_error', undefined, 'An error occurred. Try again later.'],
  chargeDeclinedVelocityLimitExceeded: ['card_declined', 'card_velocity_exceeded', 'Your card was declined.'],
  chargeDeclinedFraudulent: ['card_declined', 'fraudulent', 'Your card was declined.'],
}
/** The bank wants the holder to confirm each payment. */
const CONFIRMED = 'pm_card_authenticationRequired'
const GOOD = new Set([
  'pm_card_visa',
  'pm_card_createDispute',
  'pm_card_pendingRefund',
  'pm_card_refundFail',
  CONFIRMED,
])
const BANKS: Record<string, string | undefined> = {
  '000111111116': 'no_account',
  '000999999991': 'could_not_process',
}
const HOUR = 3600

/** The objects of a local Stripe, and what happens to them in time. */
export class StripeObjects {
  readonly #items: Item[] = []
  /** Seconds that passed beside real time. */
  #ahead = 0
  #last = 0

  /** Seconds since 1970. */
  now = (): number => Math.floor(Date.now() / 1000) + this.#ahead

  add(prefix: string, object: string, fields: object): Item {
    const item = {
      id: `${prefix}_${String(++this.#last).padStart(14, '0')}`,
      object,
      created: this.now(),
      ...fields,
    }
    this.#items.push(item)
    return item
  }

  find(object: string, id: unknown, param = 'id'): Item {
    const found = this.#items.find(item => item.id === id && item.object === object)
    if (!found) throw missing(String(id), param)
    return found
  }

  readonly #customers = new Map<string, Item>()

  /** A payment method with the customer that it was stored for. */
  paymentMethod(id: string): { id: string; object: string; customer: Item | null } {
    return { id, object: 'payment_method', customer: this.#customers.get(id) ?? null }
  }

  attach(id: string, { customer }: Fields): object {
    const { customer: owner } = this.paymentMethod(id)
    if (owner && owner.id !== customer) throw invalidRequest('The payment method belongs to a customer')
    this.#customers.set(id, this.find('customer', customer, 'customer'))
    return this.paymentMethod(id)
  }

  /** Pays with a payment method, which is stored for a customer if the request says so. */
  charge(payment: Item, { payment_method, customer, setup_future_usage: usage }: Fields): void {
    const method = textOf(payment_method)
    const { customer: owner } = this.paymentMethod(method)
    if (owner && owner.id !== customer) throw invalidRequest('The payment method belongs to a customer')
    this.pay(payment, method)
    if (usage) this.#customers.set(method, this.find('customer', customer, 'customer'))
  }

  /** What a line of the statement is about. */
  source(id: string): Item {
    const [prefix = ''] = id.split('_')
    const objects: Record<string, string> = {
      ch: 'charge',
      re: 'refund',
      du: 'dispute',
      tr: 'transfer',
      trr: 'transfer_reversal',
    }
    return this.find(objects[prefix] ?? prefix, id)
  }

  /** Newest first, as Stripe lists them. */
  all(object: string, is: (item: Item) => boolean = () => true): Item[] {
    return this.#items.filter(item => item.object === object && is(item)).reverse()
  }

  balance(source: Item, type: string, more: { amount: number; fee?: number; category?: string }): Item {
    const { amount, fee = 0, category = type } = more
    const line = { type, amount, fee, net: amount - fee, currency: 'usd', source: source.id }
    return this.add('txn', 'balance_transaction', { ...line, reporting_category: category })
  }

  /** Confirms a payment. Throws Stripe's card error. */
  pay(payment: Item, method: string): void {
    const decline = DECLINES[method.replace(/^pm_card_(visa_)?/, '')]
    if (!decline && !GOOD.has(method))
      throw invalidRequest(`No such PaymentMethod: '${method}'`, {
        code: 'resource_missing',
        param: 'payment_method',
      })
    if (decline) throw this.#declined(payment, decline)
    // On a hosted page the holder confirms it.
    if (method === CONFIRMED && Object(payment.metadata).flow === 'charge')
      return void Object.assign(payment, {
        status: 'requires_action',
        next_action: { type: 'use_stripe_sdk' },
      })
    const amount = Number(payment.amount)
    const charge = this.add('ch', 'charge', {
      amount,
      payment_intent: payment.id,
      metadata: payment.metadata,
      method,
      payment_method_details: { type: 'card', card: { fingerprint: `fingerprint of ${method}` } },
    })
    const fee = Math.ceil(amount * 0.029) + 30
    charge.balance_transaction = this.balance(charge, 'charge', { amount, fee }).id
    const done = { status: 'succeeded', amount_received: amount, latest_charge: charge.id }
    Object.assign(payment, done, { last_payment_error: null })
    if (method === 'pm_card_createDispute') this.dispute(payment.id)
  }

  #declined(payment: Item, [code, decline_code, message]: (typeof DECLINES)[string]): StripeRefusal {
    const error = { type: 'card_error', code, ...(decline_code ? { decline_code } : {}), message }
    Object.assign(payment, { status: 'requires_payment_method', last_payment_error: error })
    return new StripeRefusal(402, { ...error, payment_intent: { ...payment } })
  }

  refund(payment: Item, amount: number, metadata: Fields): Item {
    const charge = this.find('charge', payment.latest_charge)
    const before = Number(charge.amount_refunded ?? 0)
    if (charge.disputed)
      throw invalidRequest('This charge has been charged back', { code: 'charge_disputed' })
    if (before + amount > Number(charge.amount))
      throw invalidRequest('Refund amount is greater than unrefunded amount', {
        code: before ? 'charge_already_refunded' : 'amount_too_large',
      })
    charge.amount_refunded = before + amount
    const status = charge.method === 'pm_card_pendingRefund' ? 'pending' : 'succeeded'
    const fields = {
      amount,
      currency: 'usd',
      payment_intent: payment.id,
      charge: charge.id,
      status,
      metadata,
    }
    const refund = this.add('re', 'refund', { ...fields, isFailing: charge.method === 'pm_card_refundFail' })
    this.balance(refund, 'refund', { amount: -amount })
    return refund
  }

  dispute(paymentId: string): Item {
    const payment = this.find('payment_intent', paymentId)
    const charge = this.find('charge', payment.latest_charge)
    charge.disputed = true
    const amount = Number(charge.amount) - Number(charge.amount_refunded ?? 0)
    const dispute = this.add('du', 'dispute', {
      amount,
      currency: 'usd',
      charge: charge.id,
      payment_intent: paymentId,
      reason: 'fraudulent',
      status: 'needs_response',
      evidence: {},
      evidence_details: { due_by: this.now() + 7 * 24 * HOUR },
      balance_transactions: [],
      metadata: {},
    })
    const more = { amount: -amount, fee: 1500, category: 'dispute' }
    dispute.balance_transactions = [this.balance(dispute, 'adjustment', more)]
    return dispute
  }

  close(disputeId: string, status: 'won' | 'lost'): void {
    const dispute = this.find('dispute', disputeId)
    dispute.status = status
    if (status === 'won')
      this.balance(dispute, 'adjustment', { amount: Number(dispute.amount), category: 'dispute_reversal' })
  }

  /** Lets time pass: payouts leave after an hour, arrive a day later, and may come back after two more. */
  advance(seconds: number): void {
    this.#ahead += seconds
    for (const payout of this.all('payout')) {
      const age = this.now() - Number(payout.created)
      const failure = BANKS[String(payout.bank)]
      if (payout.status === 'canceled' || age < HOUR) continue
      const isReturned = payout.bank === '000999999991'
      if (age < 25 * HOUR) payout.status = 'in_transit'
      else if (failure && (!isReturned || age > 73 * HOUR))
        Object.assign(payout, {
          status: 'failed',
          failure_code: failure,
          failure_message: 'The bank refused.',
        })
      else payout.status = 'paid'
    }
    for (const refund of this.all('refund')) {
      if (this.now() - Number(refund.created) < HOUR) continue
      if (refund.status === 'pending') refund.status = 'succeeded'
      else if (refund.isFailing)
        Object.assign(refund, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
    }
  }
}
