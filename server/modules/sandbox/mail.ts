import { Type } from 'typebox'
import { COMMON, fault } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import { Moment } from '#platform/http/schema'
import { isLocalClient } from '#platform/loopback'
import { keptMails, type KeptMail } from '#platform/mail/outbox'
import { html, type Html } from '#platform/page/html'
import { asPage, layout } from '#platform/page/layout'
import { moment } from '#platform/page/time'
import type { Services } from '#platform/services'

const Address = Type.Optional(
  Type.String({ maxLength: 254, description: 'Only mails to this address', examples: ['ada@example.com'] }),
)
const SandboxMail = Type.Object({
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  sentAt: Moment,
})

// Mails have styles in their markup. Their frames run no script and open links in a new tab only.
const POLICY = { 'style-src': "'self' 'unsafe-inline'" }

/** The mails that sandbox mode kept in place of sending them. */
export function mailRoutes(app: App, services: Services): void {
  route(app, {
    method: 'GET',
    url: '/sandbox/mail',
    id: 'listSandboxMail',
    tag: 'Sandbox',
    summary: 'List the emails that were sent',
    auth: 'none',
    query: Type.Object({ to: Address }),
    reply: { 200: Type.Object({ items: Type.Array(SandboxMail) }) },
    errors: [403],
    description: 'For clients on the same machine, and for admins from elsewhere: the mails hold links that sign people in.',
    handle: async ({ actor, query, request, reply }) => {
      if (!isLocalClient(request) && actor?.role !== 'ADMIN') throw fault(COMMON.FORBIDDEN, { hint: 'Open the mailbox on the machine of the service, or send the access token of an admin' })
      void reply.header('cache-control', 'no-store')
      const items = await keptMails(services, query.to)
      if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return { items }
      void asPage(reply, POLICY).serializer(String)
      return mailPage(items, query.to)
    },
  })
}

const mailPage = (items: KeptMail[], to?: string): string => layout('Sandbox mailbox', html`
<div class="mails"><h1>Sandbox mailbox</h1>
<p class="quiet">In sandbox mode no mail leaves this machine: here is what would have been sent${to ? html` to <strong>${to}</strong>. <a href="/sandbox/mail">Show all</a>` : html`, newest first.`}</p></div>
${items.length ? items.map(article) : html`<article class="card mail"><p>No mail yet. One that was just asked for takes a second: reload the page.</p></article>`}`)

const article = ({ to, subject, html: markup, sentAt }: KeptMail): Html => html`
<article class="card mail"><h2>${subject}</h2><p class="quiet">To ${to}, ${moment(sentAt)}</p>
<iframe sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox" title="${subject}" srcdoc="${markup}"></iframe></article>`
