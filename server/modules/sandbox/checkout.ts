import { Type, type Static } from 'typebox'
import { sandboxProcessor } from '#payments'
import { Fault, invalid } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import { formatMoney, fromCents } from '#platform/money'
import { form } from '#platform/page/form'
import { html, NOTHING } from '#platform/page/html'
import { asPage, card, layout } from '#platform/page/layout'
import type { Services } from '#platform/services'

const tag = 'Sandbox'
const params = Type.Object({ id: Type.String({ maxLength: 200 }) })

const Pay = Type.Object({
  paymentMethodId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['pm_card_visa'] })),
  cardNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 40, examples: ['4242424242424242'] })),
})
const Paid = Type.Object({
  id: Type.String(), status: Type.String({ examples: ['complete'] }), amount: Type.String(), currency: Type.String(),
  returnUrl: Type.Union([Type.String(), Type.Null()]),
})

/** The sandbox processor's hosted page: a form for people, JSON for programs. */
export function checkoutRoutes(app: App, services: Services): void {
  route(app, {
    method: 'GET', url: '/sandbox/checkout/{id}', id: 'sandboxCheckoutPage', tag, summary: 'Show the hosted checkout page', auth: 'none', params,
    produces: 'text/html', reply: { 200: Type.String(), 404: Type.String() },
    handle: async ({ params, reply }) => {
      const checkout = await sandboxProcessor(services).checkout(params.id).catch(checkoutOfNoId)
      return checkout ? asPage(reply).send(checkoutPage(checkout)) : asPage(reply.code(404)).send(NO_CHECKOUT)
    },
  })
  route(app, {
    method: 'POST', url: '/sandbox/checkout/{id}', id: 'paySandboxCheckout', tag, summary: 'Pay a hosted checkout', auth: 'none', params,
    body: Pay, example: { paymentMethodId: 'pm_card_visa' }, errors: [409], reply: { 200: Paid },
    handle: async ({ params, body }) => pay(services, params.id, body),
  })
}

const NO_CHECKOUT = layout('Checkout not found', card('Checkout not found', html`<p>This payment link is wrong, or part of it is missing. Ask for a new one.</p>`))

// People open this address: they get a page.
function checkoutOfNoId(error: unknown): null {
  if (error instanceof Fault && error.row.status === 404) return null
  throw error
}

/** Pays and answers when the processor's notifications were sent once. Faults: 400 declined, 404, 409 already paid. */
async function pay(services: Services, id: string, { paymentMethodId, cardNumber }: Static<typeof Pay>) {
  const method = paymentMethodId ?? cardNumber
  if (method === undefined) throw invalid('give paymentMethodId or cardNumber')
  const processor = sandboxProcessor(services)
  await processor.payCheckout(id, method)
  const { status, cents, returnUrl } = await processor.checkout(id)
  return { id, status, amount: formatMoney(fromCents(cents)), currency: 'USD', returnUrl }
}

interface Checkout { id: string; status: string; cents: number; description: string; returnUrl: string | null }

function checkoutPage({ id, status, cents, description, returnUrl }: Checkout): string {
  const amount = html`<p>${description}</p><p class="amount">${formatMoney(fromCents(cents))} <small>USD</small></p>`
  const back = returnUrl ? html`<p class="foot"><a href="${returnUrl}">Go back</a></p>` : NOTHING
  if (status !== 'open') return layout('Paid', card('Paid', amount, html`<p>This checkout is paid.</p>`, back))
  return layout('Pay by card', card('Pay by card', amount, form({
    endpoint: `/sandbox/checkout/${encodeURIComponent(id)}`, submit: 'Pay', act: 'done', done: 'Your payment was successful.',
    fields: [{ name: 'cardNumber', label: 'Card number', type: 'text', autocomplete: 'off', inputmode: 'numeric', value: '4242 4242 4242 4242' }],
    // Inside the form, which the result replaces.
    more: html`<p class="quiet">Sandbox mode: no real money moves. 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined.</p>${back}`,
  })))
}
