import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { media, redirect } from '#platform/http/response'
import { html } from '#platform/http/page/html'
import { card, layout } from '#platform/http/page/layout'

const SLOW_MS = 15_000
const common = {
  method: 'GET',
  tag: 'Sandbox',
  access: 'public',
  skipGeneralLimits: true,
  databaseFree: true,
  produces: 'text/html',
} as const

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
  page(app, {
    ...common,
    url: '/sandbox/pages/ok',
    id: 'sandboxPageOk',
    summary: 'Show a page that loads',
    success: [200, Type.String()],
    run: () => show('Delivered work', 'Release notes of version 2: everything is faster, nothing is lost.'),
  })
  page(app, {
    ...common,
    url: '/sandbox/pages/report.pdf',
    id: 'sandboxPagePdf',
    summary: 'Download a PDF of one page',
    produces: 'application/pdf',
    success: [200, Type.String({ format: 'binary' })],
    run: () => media(Buffer.from(PDF), 'application/pdf', { headers: NO_STORE }),
  })
  page(app, {
    ...common,
    url: '/sandbox/pages/missing',
    id: 'sandboxPageMissing',
    summary: 'Show a page with status 404',
    success: [404, Type.String()],
    run: () => show('Not found', 'There is no such page.'),
  })
  page(app, {
    ...common,
    url: '/sandbox/pages/slow',
    id: 'sandboxPageSlow',
    summary: 'Show a page that responds after 15 seconds',
    success: [200, Type.String()],
    run: async (_, { http }) => {
      await sleep(SLOW_MS, undefined, { signal: http.closed(), ref: false }).catch(() => undefined)
      return show('Slow', 'Here at last.')
    },
  })
  page(app, {
    ...common,
    url: '/sandbox/pages/redirect-private',
    id: 'sandboxPageRedirectPrivate',
    summary: 'Redirect to a private address',
    success: [302, Type.String()],
    run: () => redirect('http://10.0.0.1/'),
  })
}

const NO_STORE = { 'cache-control': 'no-store' }

const show = (title: string, text: string) =>
  media(layout(title, card(title, html`<p>${text}</p>`)), 'text/html; charset=utf-8', { headers: NO_STORE })
