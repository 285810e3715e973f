import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import * as documents from './documents.ts'

const Text = Type.String()
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The small server-rendered pages; with FRONTEND_URL set, each goes to the same path there. */
export function pageRoutes(app: App, { config, publicUrl }: Services): void {
  page(app, { url: '/', id: 'pageHome', summary: 'Home page', frontend: config.FRONTEND_URL, render: () => documents.home(config, publicUrl) })
  page(app, { url: '/setup/{token}', id: 'pageSetup', summary: 'Become the first admin', frontend: config.FRONTEND_URL, render: documents.setup })
  page(app, { url: '/claim/{token}', id: 'pageClaim', summary: 'Claim an agent', frontend: config.FRONTEND_URL, render: documents.claim })
  page(app, { url: '/reset/{token}', id: 'pageReset', summary: 'Set a new password', frontend: config.FRONTEND_URL, render: documents.reset })
  page(app, { url: '/verify/{token}', id: 'pageVerify', summary: 'Confirm an e-mail', frontend: config.FRONTEND_URL, render: documents.verify })
  page(app, { url: '/login/{token}', id: 'pageLogin', summary: 'Sign in by magic link', frontend: config.FRONTEND_URL, render: documents.login })
  page(app, { url: '/auth/done', id: 'pageAuthDone', summary: 'After the identity provider', frontend: config.FRONTEND_URL, render: documents.authDone })
  asset(app, 'pages.css', 'text/css')
  asset(app, 'pages.js', 'text/javascript')
}

interface Page { url: string; id: string; summary: string; frontend: string | undefined; render(token: string): string }

function page(app: App, { url, id, summary, frontend, render }: Page): void {
  route(app, {
    method: 'GET', url, id, tag: 'Pages', summary, auth: 'none', unlimited: true, produces: 'text/html',
    ...(url.includes('{') ? { params: Type.Object({ token: Type.String({ maxLength: 512 }) }) } : {}),
    reply: { 200: Text },
    handle: async ({ params, request, reply }) => {
      if (frontend) return reply.redirect(frontend + request.url, 302)
      const { token = '' } = params as { token?: string }
      void reply.type('text/html; charset=utf-8').headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
      return render(token)
    },
  })
}

function asset(app: App, name: string, type: string): void {
  const text = readFileSync(join(import.meta.dirname, name), 'utf8')
  route(app, {
    method: 'GET', url: `/assets/${name}`, id: `asset${name === 'pages.css' ? 'Style' : 'Script'}`, tag: 'Pages', summary: `Asset ${name} of the pages`, auth: 'none', unlimited: true,
    produces: type, reply: { 200: Text },
    handle: async ({ reply }) => {
      void reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=300')
      return text
    },
  })
}
