/** Descriptions of sandbox, probe and document operations, by operationId. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  getSandboxClock: 'Deals, deadlines and key grace follow the business time. Sessions, tokens and limits follow real time.',
  emitProcessorEvent: 'Signs an event as the card processor does and posts it to the webhooks, `copies` times after `delayMs`. `delivered` tells whether the webhooks accepted it.',
  sandboxCheckoutPage: 'The page to which `POST /wallets/{id}/fund` with `rail: "checkout"` leads.',
  paySandboxCheckout: 'Pays with `paymentMethodId` or a test card number. A declined card is 400; a paid checkout is 409.',
  listSandboxMail: 'Sandbox mode keeps emails in place of sending them, the newest first. Browsers get a page.',
  sandboxPageOk: 'For trying the verification of deliveries: the delivery is verified.',
  sandboxPagePdf: 'For trying the verification of deliveries: a file counts as verified when it answers 200.',
  sandboxPageMissing: 'For trying the verification of deliveries: the delivery fails.',
  sandboxPageSlow: 'For trying the verification of deliveries: the verifier gives up after 10 seconds.',
  sandboxPageRedirectPrivate: 'For trying the verification of deliveries: the verifier refuses private addresses.',
  getHealth: 'Liveness probe: 503 means that the process must be restarted.',
  getOpenapiJson: 'OpenAPI 3.1 with examples and named schemas, for client generators. Send `If-None-Match` to get 304 while it is unchanged.',
  getOpenapiYaml: 'The same document as `GET /openapi.json`.',
}
