import { Type } from '#platform/http/type'
import { COMMON, apiError } from '#platform/kernel/errors'
import { query, type App } from '#platform/http/operations'
import { isAdmin, isAuthenticated, type PublicContext } from '#platform/http/principal'
import { respond } from '#platform/http/response'
import { Moment } from '#platform/http/schema'
import { isLocalClient } from '#platform/adapters/egress/loopback'
import { storedMails, type StoredMail } from '#platform/adapters/mail/sandbox-mailbox'
import { html, type Html } from '#platform/http/page/html'
import { htmlPage, layout } from '#platform/http/page/layout'
import { moment } from '#platform/http/page/time'
import type { Services } from '#platform/kernel/services'

const Address = Type.Optional(
  Type.String({ maxLength: 254, description: 'Only mails to this address', examples: ['ada@example.com'] }),
)
const SandboxMail = Type.Object({
  to: Type.String({ description: 'Address of the recipient' }),
  subject: Type.String({ description: 'Subject' }),
  text: Type.String({ description: 'The mail as plain text' }),
  html: Type.String({ description: 'The mail as HTML' }),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Further headers, such as List-Unsubscribe' }),
  ),
  sentAt: { ...Moment, description: 'When it was sent' },
})

// Mails have styles in their markup. Their frames run no script and open links in a new tab only.
const NO_STORE = { 'cache-control': 'no-store' }
const POLICY = { 'style-src': "'self' 'unsafe-inline'" }

/** The mails that sandbox mode stored instead of sending them. */
export function mailRoutes(app: App, services: Services): void {
  query(app, {
    method: 'GET',
    url: '/sandbox/mail',
    id: 'listSandboxMail',
    tag: 'Sandbox',
    summary: 'List the emails that were sent',
    access: { optional: ['jwt', 'sk'] },
    query: Type.Object({ to: Address }),
    success: [
      200,
      Type.Object({ items: Type.Array(SandboxMail, { description: 'The newest mails, newest first' }) }),
    ],
    errors: [403],
    description:
      'For clients on the same machine, and for admins from elsewhere: the mails hold links that sign people in.',
    run: async (_, ctx, { query, http }) => {
      if (!isLocalClient(http)) requireAdmin(ctx)
      const items = await storedMails(services, query.to)
      if (/\btext\/html\b/.test(http.headers.accept ?? ''))
        return htmlPage(mailPage(items, query.to), { policy: POLICY, headers: NO_STORE })
      return respond({ items }, { headers: NO_STORE })
    },
  })
}

function requireAdmin(ctx: PublicContext): void {
  if (!isAuthenticated(ctx) || !isAdmin(ctx.principal))
    throw apiError(COMMON.FORBIDDEN, {
      hint: 'Open the mailbox on the machine of the service, or send the access token of an admin',
    })
}

const mailPage = (items: StoredMail[], to?: string): string =>
  layout(
    'Sandbox mailbox',
    html` <div class="mails">
        <h1>Sandbox mailbox</h1>
        <p class="quiet">
          In sandbox mode no mail leaves this machine: here is what would have been
          sent${to ? html` to <strong>${to}</strong>. <a href="/sandbox/mail">Show all</a>` : html`, newest first.`}
        </p>
      </div>
      ${items.length ? items.map(article) : html`<article class="card mail"><p>No mail yet. One that was just asked for takes a second: reload the page.</p></article>`}`,
  )

const article = ({ to, subject, html: markup, sentAt }: StoredMail): Html =>
  html` <article class="card mail">
    <h2>${subject}</h2>
    <p class="quiet">To ${to}, ${moment(sentAt)}</p>
    <iframe
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      title="${subject}"
      srcdoc="${markup}"
    ></iframe>
  </article>`
