import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import type { FastifyReply } from 'fastify'
import { route, type App } from '#platform/http/route'
import { html } from '#platform/page/html'
import { card, layout } from '#platform/page/layout'

const page = (title: string, text: string): string => layout(title, card(title, html`<p>${text}</p>`))
const SLOW_MS = 15_000
const common = { method: 'GET' as const, tag: 'Sandbox', auth: 'none' as const, unlimited: true, steady: true, produces: 'text/html' }

/** A PDF of one empty page. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`

/** Pages to try the verifier with: one that loads, a file, one that is missing, one too slow, one that leads inside. */
export function verifierPages(app: App): void {
  route(app, {
    ...common, url: '/sandbox/pages/ok', id: 'sandboxPageOk', summary: 'Show a page that loads', reply: { 200: Type.String() },
    handle: async ({ reply }) => send(reply, page('Delivered work', 'Release notes of version 2: everything is faster, nothing is lost.')),
  })
  route(app, {
    ...common, url: '/sandbox/pages/report.pdf', id: 'sandboxPagePdf', summary: 'Download a PDF of one page', produces: 'application/pdf',
    reply: { 200: Type.String({ format: 'binary' }) },
    handle: async ({ reply }) => {
      void reply.type('application/pdf').header('cache-control', 'no-store')
      return Buffer.from(PDF)
    },
  })
  route(app, {
    ...common, url: '/sandbox/pages/missing', id: 'sandboxPageMissing', summary: 'Show a page that answers 404', reply: { 404: Type.String() },
    handle: async ({ reply }) => send(reply.code(404), page('Not found', 'There is no such page.')),
  })
  route(app, {
    ...common, url: '/sandbox/pages/slow', id: 'sandboxPageSlow', summary: 'Show a page that answers after 15 seconds', reply: { 200: Type.String() },
    handle: async ({ reply }) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      await sleep(SLOW_MS, undefined, { signal: gone.signal, ref: false }).catch(() => undefined)
      return send(reply, page('Slow', 'Here at last.'))
    },
  })
  route(app, {
    ...common, url: '/sandbox/pages/redirect-private', id: 'sandboxPageRedirectPrivate', summary: 'Redirect to a private address',
    reply: { 302: Type.String() }, handle: async ({ reply }) => reply.redirect('http://10.0.0.1/', 302),
  })
}

function send(reply: FastifyReply, text: string): string {
  void reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
  return text
}
