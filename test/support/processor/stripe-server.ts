import { StripeObjects } from './stripe-objects.ts'
import {
  fieldsOf,
  invalidRequest,
  page,
  StripeWire,
  textOf,
  textsOf,
  type Fields,
  type Item,
  type StripeRequest,
} from './stripe-wire.ts'

type Route = (request: StripeRequest, id: string) => unknown

/** A local Stripe: the operations that the adapter uses, with state, strict about what a request may contain. */
export class StripeServer {
  readonly objects = new StripeObjects()
  readonly wire: StripeWire
  url = ''

  constructor(secretKey: string) {
    this.wire = new StripeWire(secretKey, request => this.#handle(request))
  }

  async start(): Promise<this> {
    this.url = await this.wire.listen()
    return this
  }

  #handle(request: StripeRequest): unknown {
    for (const [pattern, fields, route] of this.#routes) {
      const [method = '', path = ''] = pattern.split(' ')
      const found = new RegExp(`^/v1/${path.replace('{id}', '([\\w]+)')}$`).exec(request.path)
      if (method !== request.method || !found) continue
      const given = method === 'POST' ? request.form : request.query
      const unknown = Object.keys(given).filter(name => !fields.split(' ').includes(name))
      if (unknown.length) throw new Error(`unknown parameters: ${unknown.join(', ')}`)
      return route(request, found[1] ?? '')
    }
    throw new Error('no such operation here')
  }

  readonly #routes: readonly (readonly [pattern: string, fields: string, Route])[] = [
    [
      'POST payment_intents',
      'amount currency confirm payment_method automatic_payment_methods capture_method description metadata customer setup_future_usage off_session',
      ({ form }) => this.#createPayment(form),
    ],
    ['POST customers', 'metadata', ({ form }) => this.objects.add('cus', 'customer', form)],
    ['GET payment_methods/{id}', 'expand', (_, id) => this.objects.paymentMethod(id)],
    ['POST payment_methods/{id}/attach', 'customer', ({ form }, id) => this.objects.attach(id, form)],
    ['GET payment_intents/search', 'query expand limit', ({ query }) => this.#search(query)],
    [
      'GET payment_intents/{id}',
      'expand',
      ({ query }, id) => this.#expanded(this.objects.find('payment_intent', id, 'intent'), query, ''),
    ],
    [
      'POST checkout/sessions',
      'mode client_reference_id line_items success_url cancel_url expires_at metadata payment_intent_data',
      ({ form }) => this.#createSession(form),
    ],
    ['GET checkout/sessions/{id}', '', (_, id) => this.objects.find('checkout.session', id)],
    ['POST checkout/sessions/{id}/expire', '', (_, id) => this.#expireSession(id)],
    ['POST refunds', 'payment_intent amount metadata', ({ form }) => this.#createRefund(form)],
    [
      'GET refunds',
      'payment_intent limit starting_after',
      ({ query }) =>
        page(
          this.objects.all('refund', ({ payment_intent }) => payment_intent === query.payment_intent),
          query,
        ),
    ],
    [
      'POST accounts',
      'type email country capabilities settings metadata',
      ({ form }) => this.#createAccount(form),
    ],
    ['GET accounts/{id}', '', (_, id) => this.objects.find('account', id, 'account')],
    [
      'POST account_links',
      'account return_url refresh_url type',
      ({ form }) =>
        this.objects.add('link', 'account_link', {
          url: `${this.url}/onboarding/${this.objects.find('account', form.account).id}/${Math.random()}`,
        }),
    ],
    [
      'POST transfers',
      'amount currency destination transfer_group description metadata',
      ({ form }) => this.#createTransfer(form),
    ],
    [
      'GET transfers',
      'transfer_group destination limit',
      ({ query }) =>
        page(
          this.objects.all(
            'transfer',
            each => each.transfer_group === query.transfer_group && each.destination === query.destination,
          ),
          query,
        ),
    ],
    [
      'POST transfers/{id}',
      'metadata',
      ({ form }, id) => {
        const transfer = this.objects.find('transfer', id)
        return Object.assign(transfer, {
          metadata: { ...Object(transfer.metadata), ...fieldsOf(form.metadata) },
        })
      },
    ],
    ['POST transfers/{id}/reversals', 'metadata', ({ form }, id) => this.#reverse(id, form)],
    ['POST payouts', 'amount currency description metadata', request => this.#createPayout(request)],
    [
      'GET payouts',
      'created limit starting_after',
      ({ query, account }) =>
        page(
          this.objects.all('payout', each => each.account === account),
          query,
        ),
    ],
    ['POST payouts/{id}/cancel', '', (request, id) => this.#cancelPayout(request, id)],
    ['GET disputes/{id}', '', (_, id) => this.objects.find('dispute', id)],
    ['POST disputes/{id}', 'evidence submit', ({ form }, id) => this.#submit(id, form)],
    [
      'GET balance_transactions',
      'created expand limit starting_after',
      ({ query }) => this.#movements(query),
    ],
  ]

  #createPayment(form: Fields): Item {
    if (
      form.currency !== 'usd' ||
      form.confirm !== 'true' ||
      fieldsOf(form.automatic_payment_methods).allow_redirects !== 'never'
    )
      throw new Error(`not how a card is charged: ${JSON.stringify(form)}`)
    const payment = this.#newPayment(Number(form.amount), fieldsOf(form.metadata))
    this.objects.charge(payment, form)
    return payment
  }

  #newPayment(amount: number, metadata: Fields): Item {
    const fields = { amount, currency: 'usd', status: 'requires_payment_method', amount_received: 0 }
    return this.objects.add('pi', 'payment_intent', { ...fields, latest_charge: null, metadata })
  }

  #search(query: Fields): object {
    const wanted = /^metadata\['paymentId'\]:'([0-9a-f-]+)'$/.exec(textOf(query.query))?.[1]
    if (!wanted) throw new Error(`not a query that Stripe knows: ${JSON.stringify(query.query)}`)
    const found = this.objects.all('payment_intent', ({ metadata }) => Object(metadata).paymentId === wanted)
    const data = found.map(payment => this.#expanded(payment, query, 'data.'))
    return { object: 'search_result', url: '/v1', data, has_more: false }
  }

  /** With the charge and its balance transaction where they are asked for: an id otherwise. */
  #expanded(payment: Item, query: Fields, prefix: string): Item {
    const isWanted = textsOf(query.expand).includes(`${prefix}latest_charge.balance_transaction`)
    if (!isWanted || !payment.latest_charge) return payment
    const charge = this.objects.find('charge', payment.latest_charge)
    const balance = this.objects.find('balance_transaction', charge.balance_transaction)
    return { ...payment, latest_charge: { ...charge, balance_transaction: balance } }
  }

  #createSession(form: Fields): Item {
    const price = fieldsOf(fieldsOf(fieldsOf(form.line_items)['0']).price_data)
    const product = fieldsOf(price.product_data)
    if (form.mode !== 'payment' || !form.success_url || price.currency !== 'usd' || !product.name)
      throw new Error(`not a hosted page: ${JSON.stringify(form)}`)
    const session = this.objects.add('cs', 'checkout.session', {
      amount_total: Number(price.unit_amount),
      status: 'open',
      payment_status: 'unpaid',
      metadata: form.metadata,
      paymentMetadata: fieldsOf(form.payment_intent_data).metadata,
    })
    return Object.assign(session, { url: `${this.url}/pay/${session.id}` })
  }

  #expireSession(id: string): Item {
    const session = this.objects.find('checkout.session', id)
    if (session.status !== 'open')
      throw invalidRequest('Only Checkout Sessions with a status of open can be expired')
    return Object.assign(session, { status: 'expired', url: null })
  }

  /** A person pays a hosted page. */
  paySession(id: string, method: string): void {
    const session = this.objects.find('checkout.session', id)
    if (session.status !== 'open') throw new Error(`the page is ${String(session.status)}`)
    const payment = this.#newPayment(Number(session.amount_total), Object(session.paymentMetadata) as Fields)
    this.objects.pay(payment, method)
    Object.assign(session, {
      status: 'complete',
      payment_status: 'paid',
      payment_intent: payment.id,
      url: null,
    })
  }

  #createRefund(form: Fields): Item {
    const payment = this.objects.find('payment_intent', form.payment_intent, 'payment_intent')
    return this.objects.refund(payment, Number(form.amount), fieldsOf(form.metadata))
  }

  #createAccount(form: Fields): Item {
    const schedule = fieldsOf(fieldsOf(fieldsOf(form.settings).payouts).schedule)
    if (form.type !== 'express' || schedule.interval !== 'manual')
      throw new Error(`not an account of ours: ${JSON.stringify(form)}`)
    return this.objects.add('acct', 'account', {
      details_submitted: false,
      payouts_enabled: false,
      requirements: {
        currently_due: ['external_account'],
        past_due: [],
        disabled_reason: 'requirements.past_due',
      },
      metadata: form.metadata,
    })
  }

  #createTransfer(form: Fields): Item {
    const account = this.objects.find('account', form.destination, 'destination')
    if (!account.payouts_enabled)
      throw invalidRequest('Your destination account needs to have the transfers capability enabled.', {
        code: 'insufficient_capabilities_for_transfer',
      })
    const amount = Number(form.amount)
    const fields = { amount, destination: account.id, transfer_group: form.transfer_group, reversed: false }
    const transfer = this.objects.add('tr', 'transfer', { ...fields, metadata: fieldsOf(form.metadata) })
    this.objects.balance(transfer, 'transfer', { amount: -amount })
    return transfer
  }

  #reverse(id: string, form: Fields): Item {
    const transfer = this.objects.find('transfer', id)
    if (transfer.reversed) throw invalidRequest('This transfer is already fully reversed.')
    transfer.reversed = true
    const amount = Number(transfer.amount)
    const reversal = this.objects.add('trr', 'transfer_reversal', {
      amount,
      transfer: id,
      metadata: form.metadata,
    })
    this.objects.balance(reversal, 'transfer_refund', { amount, category: 'transfer_reversal' })
    return reversal
  }

  #createPayout({ form, account }: StripeRequest): Item {
    const owner = this.objects.find('account', account)
    if (owner.payoutsRefused) throw invalidRequest('Payouts are disabled.', { code: 'payouts_not_allowed' })
    return this.objects.add('po', 'payout', {
      amount: Number(form.amount),
      status: 'pending',
      failure_code: null,
      failure_message: null,
      account,
      bank: owner.bank,
      metadata: fieldsOf(form.metadata),
    })
  }

  #cancelPayout({ account }: StripeRequest, id: string): Item {
    const payout = this.objects.find('payout', id)
    if (payout.account !== account || payout.status !== 'pending')
      throw invalidRequest('You can only cancel a pending payout of the account')
    return Object.assign(payout, { status: 'canceled' })
  }

  #submit(id: string, form: Fields): Item {
    const dispute = this.objects.find('dispute', id)
    const evidence = fieldsOf(form.evidence)
    if (form.submit !== 'true' || !evidence.uncategorized_text)
      throw new Error(`not evidence: ${JSON.stringify(form)}`)
    dispute.status = 'under_review'
    if (evidence.uncategorized_text === 'losing_evidence') this.objects.close(id, 'lost')
    return dispute
  }

  #movements(query: Fields): object {
    const { gte, lt } = fieldsOf(query.created)
    const isExpanded = textsOf(query.expand).includes('data.source')
    const lines = this.objects
      .all(
        'balance_transaction',
        ({ created }) => Number(created) >= Number(gte) && Number(created) < Number(lt),
      )
      .map(line => (isExpanded ? { ...line, source: this.objects.source(String(line.source)) } : line))
    return page(lines, query)
  }
}
