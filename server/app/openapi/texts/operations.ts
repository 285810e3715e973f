/** Descriptions of sandbox, probe and document operations, by operationId. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  getSandboxClock:
    'Deals, deadlines and key grace follow the business time. Sessions, tokens and limits follow real time.',
  emitProcessorEvent:
    'Signs an event as the card processor does and posts it to the webhooks, `copies` times after `delayMs`. `delivered` is true if the webhooks accepted it.',
  sandboxCheckoutPage: 'The page to which `POST /wallets/{id}/fund` with `rail: "checkout"` leads.',
  paySandboxCheckout:
    'Pays with `paymentMethodId` or a test card number. A declined card is 400; a paid or expired checkout is 409.',
  sandboxOnboardingPage: 'The page to which the onboarding link of a payout account leads.',
  completeSandboxOnboarding:
    'Submits a test bank account and a test id number. Payouts to 000123456789 are paid; to 000111111116 (`no_account`), 000111111113 (`account_closed`), 000222222227 (`insufficient_funds`), 000333333335 (`debit_not_authorized`) and 000444444440 (`invalid_currency`) they fail; to 000999999991 they are paid and come back two days later. ' +
    'Id number 000000000 is verified at once, 222222222 after a day, 111111111 restricts the account and 999999999 rejects it. An expired link and a rejected account are 409.',
  listSandboxMail:
    'Sandbox mode stores emails instead of sending them. The newest comes first. Browsers get a page.',
  sandboxPageOk: 'For trying the verification of deliveries: the delivery is verified.',
  sandboxPagePdf: 'For trying the verification of deliveries: a file is verified if its status is 200.',
  sandboxPageMissing: 'For trying the verification of deliveries: the delivery fails.',
  sandboxPageSlow: 'For trying the verification of deliveries: the verifier gives up after 10 seconds.',
  sandboxPageRedirectPrivate:
    'For trying the verification of deliveries: the verifier refuses private addresses.',
  getHealth: 'Liveness probe: 503 means that the process must be restarted.',
  getOpenapiJson:
    'OpenAPI 3.1 with examples and named schemas, for client generators. Send `If-None-Match` to get 304 while it is unchanged.',
  getOpenapiYaml: 'The same document as `GET /openapi.json`.',
}
