import { Type } from '#platform/http/type'
import { sandboxProcessor } from '#payments'
import { ApiError } from '#platform/kernel/errors'
import { commandInSteps, page, type App } from '#platform/http/operations'
import { form } from '#platform/http/page/form'
import { html } from '#platform/http/page/html'
import { card, htmlPage, layout } from '#platform/http/page/layout'
import { named, Nullable } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'

const tag = 'Sandbox'
const params = Type.Object({ id: Type.String({ maxLength: 200, examples: ['link_1'] }) })

const Details = Type.Object({
  accountNumber: Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'Test bank account; it decides what becomes of payouts',
    examples: ['000123456789'],
  }),
  idNumber: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'Test id number, 000000000 by default; it decides what the identity check finds',
      examples: ['000000000'],
    }),
  ),
})
const Onboarded = named(
  'SandboxPayoutAccount',
  Type.Object({
    id: Type.String({ maxLength: 200, examples: ['acct_1'], description: 'Id of the connected account' }),
    detailsSubmitted: Type.Boolean({ description: 'Whether the holder has sent the form' }),
    payoutsEnabled: Type.Boolean({ description: 'Whether it can be paid out to' }),
    requirements: Type.Array(Type.String(), {
      description: 'What the holder has still to provide',
      examples: [[]],
    }),
    disabledReason: Nullable(
      Type.String({
        examples: ['requirements.past_due'],
        description: 'Why the account is restricted; null if it is not',
      }),
    ),
    returnUrl: Type.String({ format: 'uri', description: 'Where the page leads to' }),
  }),
)

/** The sandbox processor's hosted onboarding of a payout account: a form for people, JSON for programs. */
export function onboardingRoutes(app: App, services: Services): void {
  page(app, {
    method: 'GET',
    url: '/sandbox/onboarding/{id}',
    id: 'sandboxOnboardingPage',
    tag,
    summary: 'Show the hosted onboarding page',
    access: 'public',
    params,
    produces: 'text/html',
    success: [200, Type.String()],
    otherResponses: { 404: Type.String() },
    run: async (_, { params: { id } }) => {
      const found = await sandboxProcessor(services).onboarding(id).catch(linkOfNoId)
      return found ? htmlPage(onboardingPage(id, found)) : htmlPage(NO_LINK, { status: 404 })
    },
  })
  commandInSteps(app, {
    method: 'POST',
    url: '/sandbox/onboarding/{id}',
    id: 'completeSandboxOnboarding',
    tag,
    summary: 'Complete a hosted onboarding',
    access: 'public',
    params,
    body: Details,
    example: { accountNumber: '000123456789', idNumber: '000000000' },
    errors: [404, 409],
    success: [200, Onboarded],
    run: async (_db, _ctx, { params: { id }, body: { accountNumber, idNumber = '000000000' } }) => {
      const processor = sandboxProcessor(services)
      const account = await processor.completeOnboarding(id, { accountNumber, idNumber })
      return {
        id: account.accountId,
        detailsSubmitted: account.isDetailsSubmitted,
        payoutsEnabled: account.isPayoutsEnabled,
        requirements: account.requirements,
        disabledReason: account.disabledReason,
        returnUrl: (await processor.onboarding(id)).returnUrl,
      }
    },
  })
}

const NO_LINK = layout(
  'Link not found',
  card('Link not found', html`<p>This link is wrong, or part of it is missing. Ask for a new one.</p>`),
)

// People open this address: they get a page.
function linkOfNoId(error: unknown): null {
  if (error instanceof ApiError && error.row.status === 404) return null
  throw error
}

type Onboarding = Awaited<ReturnType<ReturnType<typeof sandboxProcessor>['onboarding']>>

function onboardingPage(id: string, { account, isExpired, returnUrl, refreshUrl }: Onboarding): string {
  const title = 'Set up payouts'
  if (isExpired)
    return layout(
      'Link expired',
      card(
        'Link expired',
        html`<p>This link can be used for ten minutes.</p>
          <p class="foot"><a href="${refreshUrl}">Get a new link</a></p>`,
      ),
    )
  const back = html`<p class="foot"><a href="${returnUrl}">Go back</a></p>`
  if (account.isPayoutsEnabled)
    return layout(title, card(title, html`<p>Payouts to your bank account are enabled.</p>`, back))
  return layout(
    title,
    card(
      title,
      html`<p>Where should your payouts go?</p>`,
      form({
        endpoint: `/sandbox/onboarding/${encodeURIComponent(id)}`,
        submit: 'Submit',
        done: 'Your details were submitted.',
        fields: [
          numberField('accountNumber', 'Bank account number', '000123456789'),
          numberField('idNumber', 'Id number', '000000000'),
        ],
        more: html`<p class="quiet">
            Sandbox mode: no real money moves. Payouts to 000123456789 are paid, to 000111111116 they fail, to
            000999999991 the bank returns them. Id number 000000000 is verified at once, 222222222 after a
            day, 111111111 needs a document, 999999999 is rejected.
          </p>
          ${back}`,
      }),
    ),
  )
}

const numberField = (name: string, label: string, value: string) =>
  ({ name, label, type: 'text', autocomplete: 'off', inputmode: 'numeric', value }) as const
