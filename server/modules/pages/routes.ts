import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '#platform/http/type'
import { agentKeys } from '#agents'
import { mailLinks } from '#identity'
import { page, type App } from '#platform/http/operations'
import { media, redirect } from '#platform/http/response'
import { htmlPage, ICON } from '#platform/http/page/layout'
import type { Services } from '#platform/kernel/services'
import { account } from './account.ts'
import { queryOf } from './console-routes.ts'
import { authDone, signIn, signUp } from './entrance.ts'
import { home } from './home.ts'
import * as links from './links.ts'
import { siteOf } from './site.ts'

const Text = Type.String()
const TokenPath = Type.Object({ token: Type.String({ maxLength: 512 }) })
const common = {
  method: 'GET',
  tag: 'Pages',
  access: 'public',
  produces: 'text/html',
  hidden: true,
} as const

/** The small server-rendered pages; with FRONTEND_URL set, each goes to the same path there. */
export function pageRoutes(app: App, services: Services): void {
  const site = siteOf(services)
  const frontend = services.config.FRONTEND_URL
  sitePage(app, { url: '/', id: 'pageHome', summary: 'Home page', frontend, render: () => home(site) })
  sitePage(app, {
    url: '/signup',
    id: 'pageSignUp',
    summary: 'Create an account',
    frontend,
    render: () => signUp(site),
  })
  sitePage(app, { url: '/login', id: 'pageSignIn', summary: 'Sign in', frontend, render: () => signIn(site) })
  sitePage(app, {
    url: '/account',
    id: 'pageAccount',
    summary: 'Your account: wallet, agents, access token',
    frontend,
    render: () => account(site),
  })
  sitePage(app, {
    url: '/auth/done',
    id: 'pageAuthDone',
    summary: 'After the identity provider',
    frontend,
    render: authDone,
  })
  linkPages(app, services)
  for (const [name, type] of ASSETS)
    asset(app, {
      url: `/assets/${name}`,
      type,
      text: readFileSync(join(import.meta.dirname, 'assets', name), 'utf8'),
    })
  asset(app, { url: '/favicon.ico', type: 'image/svg+xml', text: ICON })
  asset(app, { url: '/robots.txt', type: 'text/plain', text: ROBOTS })
}

function linkPages(app: App, services: Services): void {
  const site = siteOf(services)
  const frontend = services.config.FRONTEND_URL
  linkPage(app, {
    path: 'setup',
    id: 'pageSetup',
    summary: 'Become the first admin',
    frontend,
    render: async token => links.setup(await mailLinks.isSetupLinkGood(services, token), { token, site }),
  })
  linkPage(app, {
    path: 'claim',
    id: 'pageClaim',
    summary: 'Claim an agent',
    frontend,
    render: async token => links.claim(await agentKeys.viewClaimLink(services, token), { token, site }),
  })
  linkPage(app, {
    path: 'reset',
    id: 'pageReset',
    summary: 'Set a new password',
    frontend,
    render: async token =>
      links.reset(await mailLinks.viewMailLink(services, 'reset', token), { token, site }),
  })
  linkPage(app, {
    path: 'verify',
    id: 'pageVerify',
    summary: 'Confirm an email address',
    frontend,
    render: async token =>
      links.verify(await mailLinks.viewMailLink(services, 'verify', token), { token, site }),
  })
  linkPage(app, {
    path: 'login',
    id: 'pageLogin',
    summary: 'Sign in by magic link',
    frontend,
    render: async token =>
      links.login(await mailLinks.viewMailLink(services, 'magic', token), { token, site }),
  })
}

interface SitePage {
  url: string
  id: string
  summary: string
  frontend: string | undefined
  render(): string
}

function sitePage(app: App, { frontend, render, ...spec }: SitePage): void {
  page(app, {
    ...common,
    ...spec,
    skipGeneralLimits: true,
    databaseFree: true,
    success: [frontend ? 302 : 200, Text],
    run: (_, { http }) => (frontend ? redirect(frontend + spec.url + queryOf(http.url)) : htmlPage(render())),
  })
}

interface LinkPage {
  path: string
  id: string
  summary: string
  frontend: string | undefined
  render(token: string): Promise<links.Shown>
}

function linkPage(app: App, { path, id, summary, frontend, render }: LinkPage): void {
  page(app, {
    ...common,
    id,
    summary,
    url: `/${path}/{token}`,
    params: TokenPath,
    excludeErrors: [400],
    success: [frontend ? 302 : 200, Text],
    otherResponses: frontend ? {} : { 404: Text },
    run: async (_, { params: { token }, http }) => {
      if (frontend) return redirect(`${frontend}/${path}/${encodeURIComponent(token)}${queryOf(http.url)}`)
      const { good, text } = await render(token)
      return htmlPage(text, { status: good ? 200 : 404 })
    },
  })
}

const SCRIPT = 'text/javascript'
const ASSETS = [
  ['pages.css', 'text/css'],
  ['pages.js', SCRIPT],
  ['account.js', SCRIPT],
  ['api.js', SCRIPT],
  ['dom.js', SCRIPT],
  ['forms.js', SCRIPT],
  ['session.js', SCRIPT],
  ['sign-in.js', SCRIPT],
] as const

// Search engines must not open links of mails.
const ROBOTS = [
  'User-agent: *',
  ...['/account', '/auth/', '/claim/', '/login/', '/reset/', '/sandbox/', '/setup/', '/verify/'].map(
    path => `Disallow: ${path}`,
  ),
  '',
].join('\n')

function asset(app: App, { url, type, text }: { url: string; type: string; text: string }): void {
  page(app, {
    ...common,
    url,
    id: `asset${url.replaceAll(/\W/g, '_')}`,
    summary: `Asset ${url} of the pages`,
    skipGeneralLimits: true,
    databaseFree: true,
    produces: type,
    success: [200, Text],
    run: () => media(text, `${type}; charset=utf-8`, { headers: { 'cache-control': 'public, max-age=300' } }),
  })
}
