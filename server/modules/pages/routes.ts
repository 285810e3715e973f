import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { viewClaimLink } from '#agents'
import { isSetupLinkGood, viewMailLink } from '#identity'
import { route, type App } from '#platform/http/route'
import { asPage, ICON } from '#platform/page/layout'
import type { Services } from '#platform/services'
import { account } from './account.ts'
import { authDone, signIn, signUp } from './entrance.ts'
import { home } from './home.ts'
import * as links from './links.ts'
import { siteOf } from './site.ts'

const Text = Type.String()
const TokenPath = Type.Object({ token: Type.String({ maxLength: 512 }) })
const common = { method: 'GET' as const, tag: 'Pages', auth: 'none' as const, produces: 'text/html', hidden: true }

/** The small server-rendered pages; with FRONTEND_URL set, each goes to the same path there. */
export function pageRoutes(app: App, services: Services): void {
  const site = siteOf(services)
  const frontend = services.config.FRONTEND_URL
  page(app, { url: '/', id: 'pageHome', summary: 'Home page', frontend, render: () => home(site) })
  page(app, { url: '/signup', id: 'pageSignUp', summary: 'Create an account', frontend, render: () => signUp(site) })
  page(app, { url: '/login', id: 'pageSignIn', summary: 'Sign in', frontend, render: () => signIn(site) })
  page(app, { url: '/account', id: 'pageAccount', summary: 'Your account: wallet, agents, access token', frontend, render: () => account(site) })
  page(app, { url: '/auth/done', id: 'pageAuthDone', summary: 'After the identity provider', frontend, render: authDone })
  linkPages(app, services)
  for (const [name, type] of ASSETS) asset(app, { url: `/assets/${name}`, type, text: readFileSync(join(import.meta.dirname, 'assets', name), 'utf8') })
  asset(app, { url: '/favicon.ico', type: 'image/svg+xml', text: ICON })
  asset(app, { url: '/robots.txt', type: 'text/plain', text: ROBOTS })
}

function linkPages(app: App, services: Services): void {
  const site = siteOf(services)
  const frontend = services.config.FRONTEND_URL
  linkPage(app, { path: 'setup', id: 'pageSetup', summary: 'Become the first admin', frontend, render: async token => links.setup(await isSetupLinkGood(services, token), { token, site }) })
  linkPage(app, { path: 'claim', id: 'pageClaim', summary: 'Claim an agent', frontend, render: async token => links.claim(await viewClaimLink(services, token), { token, site }) })
  linkPage(app, { path: 'reset', id: 'pageReset', summary: 'Set a new password', frontend, render: async token => links.reset(await viewMailLink(services, 'reset', token), { token, site }) })
  linkPage(app, { path: 'verify', id: 'pageVerify', summary: 'Confirm an email address', frontend, render: async token => links.verify(await viewMailLink(services, 'verify', token), { token, site }) })
  linkPage(app, { path: 'login', id: 'pageLogin', summary: 'Sign in by magic link', frontend, render: async token => links.login(await viewMailLink(services, 'magic', token), { token, site }) })
}

interface Page { url: string; id: string; summary: string; frontend: string | undefined; render(): string }

function page(app: App, { frontend, render, ...spec }: Page): void {
  route(app, {
    ...common, ...spec, unlimited: true, steady: true, reply: frontend ? { 302: Text } : { 200: Text },
    handle: async ({ request, reply }) => (frontend ? reply.redirect(frontend + spec.url + queryOf(request.url), 302) : asPage(reply).send(render())),
  })
}

interface LinkPage { path: string; id: string; summary: string; frontend: string | undefined; render(token: string): Promise<links.Shown> }

function linkPage(app: App, { path, id, summary, frontend, render }: LinkPage): void {
  route(app, {
    ...common, id, summary, url: `/${path}/{token}`, params: TokenPath, never: [400], reply: frontend ? { 302: Text } : { 200: Text, 404: Text },
    handle: async ({ params: { token }, request, reply }) => {
      if (frontend) return reply.redirect(`${frontend}/${path}/${encodeURIComponent(token)}${queryOf(request.url)}`, 302)
      const { good, text } = await render(token)
      return asPage(reply.code(good ? 200 : 404)).send(text)
    },
  })
}

// The path is the route's own: a request may name another host before it.
const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

const SCRIPT = 'text/javascript'
const ASSETS = [
  ['pages.css', 'text/css'], ['pages.js', SCRIPT], ['account.js', SCRIPT], ['api.js', SCRIPT], ['dom.js', SCRIPT], ['forms.js', SCRIPT], ['session.js', SCRIPT], ['sign-in.js', SCRIPT],
] as const

// Search engines must not open links of mails.
const ROBOTS = ['User-agent: *', ...['/account', '/auth/', '/claim/', '/login/', '/reset/', '/sandbox/', '/setup/', '/verify/'].map(path => `Disallow: ${path}`), ''].join('\n')

function asset(app: App, { url, type, text }: { url: string; type: string; text: string }): void {
  route(app, {
    ...common, url, id: `asset${url.replaceAll(/\W/g, '_')}`, summary: `Asset ${url} of the pages`, unlimited: true, steady: true, produces: type, reply: { 200: Text },
    handle: async ({ reply }) => reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=300').send(text),
  })
}
