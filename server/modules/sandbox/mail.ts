import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Moment } from '#platform/http/schema'
import { keptMails, type KeptMail } from '#platform/mail/outbox'
import type { Services } from '#platform/services'
import { escapeHtml, page } from './html.ts'

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

// A mail's own markup is shown in a frame that runs no script and may open links in a new tab only.
const POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'; " +
  "frame-ancestors 'none'"

/** The mails that sandbox mode kept in place of sending them. */
export function mailRoutes(app: App, services: Services): void {
  route(app, {
    method: 'GET',
    url: '/sandbox/mail',
    id: 'listSandboxMail',
    tag: 'Sandbox',
    summary: 'What was sent by mail, newest first; a page where text/html is asked for',
    auth: 'none',
    query: Type.Object({ to: Address }),
    reply: { 200: Type.Object({ items: Type.Array(SandboxMail) }) },
    handle: async ({ query, request, reply }) => {
      void reply.header('cache-control', 'no-store')
      const items = await keptMails(services, query.to)
      if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return { items }
      void reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).serializer(String)
      return mailPage(items)
    },
  })
}

const mailPage = (items: KeptMail[]): string =>
  page('Mail (sandbox)', items.length ? items.map(article).join('') : '<p class="quiet">No mail was sent yet.</p>')

const article = ({ to, subject, html, sentAt }: KeptMail): string => `
<article class="card"><h2>${escapeHtml(subject)}</h2><p class="quiet">to ${escapeHtml(to)}, ${escapeHtml(sentAt)}</p>
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox"
title="${escapeHtml(subject)}" srcdoc="${escapeHtml(html)}"
width="100%" height="220"></iframe></article>`
