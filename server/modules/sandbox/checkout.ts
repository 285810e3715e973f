import { Type, type Static } from '#platform/http/type'
import { sandboxProcessor } from '#payments'
import { ApiError, invalid } from '#platform/kernel/errors'
import { commandInSteps, page, type App } from '#platform/http/operations'
import { formatMoney, fromCents } from '#platform/kernel/money'
import { form } from '#platform/http/page/form'
import { html, NOTHING, type Html } from '#platform/http/page/html'
import { card, htmlPage, layout } from '#platform/http/page/layout'
import type { Services } from '#platform/kernel/services'

const tag = 'Sandbox'
const params = Type.Object({ id: Type.String({ maxLength: 200 }) })

const Pay = Type.Object({
  paymentMethodId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      examples: ['pm_card_visa'],
      description: 'Test payment method; or `cardNumber`',
    }),
  ),
  cardNumber: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      examples: ['4242424242424242'],
      description: 'Test card number; or `paymentMethodId`',
    }),
  ),
})
const Paid = Type.Object({
  id: Type.String({ description: 'Id of the hosted page' }),
  status: Type.String({ examples: ['complete'], description: 'State of the page' }),
  amount: Type.String({ description: 'Amount in `currency`' }),
  currency: Type.String({ description: 'ISO 4217' }),
  returnUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'Where the page leads to; null without an address',
  }),
})

/** The sandbox processor's hosted page: a form for people, JSON for programs. */
export function checkoutRoutes(app: App, services: Services): void {
  page(app, {
    method: 'GET',
    url: '/sandbox/checkout/{id}',
    id: 'sandboxCheckoutPage',
    tag,
    summary: 'Show the hosted checkout page',
    access: 'public',
    params,
    produces: 'text/html',
    success: [200, Type.String()],
    otherResponses: { 404: Type.String() },
    run: async (_, { params }) => {
      const checkout = await sandboxProcessor(services).checkout(params.id).catch(checkoutOfNoId)
      return checkout ? htmlPage(checkoutPage(checkout)) : htmlPage(NO_CHECKOUT, { status: 404 })
    },
  })
  commandInSteps(app, {
    method: 'POST',
    url: '/sandbox/checkout/{id}',
    id: 'paySandboxCheckout',
    tag,
    summary: 'Pay a hosted checkout',
    access: 'public',
    params,
    body: Pay,
    example: { paymentMethodId: 'pm_card_visa' },
    errors: [409],
    success: [200, Paid],
    run: (_db, _ctx, { params, body }) => pay(services, params.id, body),
  })
}

const NO_CHECKOUT = layout(
  'Checkout not found',
  card(
    'Checkout not found',
    html`<p>This payment link is wrong, or part of it is missing. Ask for a new one.</p>`,
  ),
)

// People open this address: they get a page.
function checkoutOfNoId(error: unknown): null {
  if (error instanceof ApiError && error.row.status === 404) return null
  throw error
}

/** Pays and answers when the processor's notifications were sent once. ApiErrors: 400 declined, 404, 409 already paid. */
async function pay(services: Services, id: string, { paymentMethodId, cardNumber }: Static<typeof Pay>) {
  const method = paymentMethodId ?? cardNumber
  if (method === undefined) throw invalid('send paymentMethodId or cardNumber')
  const processor = sandboxProcessor(services)
  await processor.payCheckout(id, method)
  const { status, cents, returnUrl } = await processor.checkout(id)
  return { id, status, amount: formatMoney(fromCents(cents)), currency: 'USD', returnUrl }
}

type Checkout = Awaited<ReturnType<ReturnType<typeof sandboxProcessor>['checkout']>>

const TEST_MODE = html`<p class="notice"><strong>Test mode.</strong> No real card is charged.</p>`

function checkoutPage(checkout: Checkout): string {
  const { status, returnUrl, cancelUrl } = checkout
  if (status === 'open') return openPage(checkout)
  if (status === 'expired')
    return closedPage('Payment link expired', checkout, {
      words: 'Nobody has paid here in time, and nothing was charged. Ask the shop for a new payment link.',
      back: linkTo(cancelUrl, 'Go back to the shop'),
    })
  return closedPage('Paid', checkout, {
    words: 'This payment has been made.',
    back: linkTo(returnUrl, 'Go back to the shop'),
  })
}

const closedPage = (title: string, checkout: Checkout, { words, back }: { words: string; back: Html }) =>
  layout(title, card(title, TEST_MODE, summary(checkout), html`<p>${words}</p>`, back))

/** What is bought, from whom, and for how much. */
const summary = ({ description, seller, cents }: Checkout): Html =>
  html`<p class="amount">${formatMoney(fromCents(cents))} <small>USD</small></p>
    <p>
      <strong>${description}</strong>${seller ? html`<br /><span class="quiet">Sold by ${seller}</span>` : NOTHING}
    </p>`

const linkTo = (url: string | null, words: string): Html =>
  url ? html`<p class="foot"><a href="${url}">${words}</a></p>` : NOTHING

const openPage = (checkout: Checkout): string =>
  layout(
    'Pay by card',
    card(
      'Pay by card',
      TEST_MODE,
      summary(checkout),
      form({
        endpoint: `/sandbox/checkout/${encodeURIComponent(checkout.id)}`,
        submit: `Pay ${formatMoney(fromCents(checkout.cents))} USD`,
        done: 'Your payment was successful.',
        back: 'Go back to the shop',
        fields: [
          {
            name: 'cardNumber',
            label: 'Card number',
            type: 'text',
            autocomplete: 'off',
            inputmode: 'numeric',
            value: '4242 4242 4242 4242',
          },
        ],
        // Inside the form, which the result replaces.
        more: html`<p class="quiet">
            ${checkout.seller ? 'Your money is held in escrow until you release it to the seller. ' : ''}Test cards:
            4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined.
          </p>
          ${linkTo(checkout.cancelUrl, 'Cancel and go back to the shop')}`,
      }),
    ),
  )
