import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { media, redirect } from '#platform/http/response'
import { ICON } from '#platform/http/page/layout'
import type { Services } from '#platform/kernel/services'
import type { WebConsole } from './console.ts'
import { queryOf } from './console-routes.ts'
import { LINKS, type LinkData } from './links.ts'

const Text = Type.String()
const TokenPath = Type.Object({ token: Type.String({ maxLength: 512 }) })
const common = {
  method: 'GET',
  tag: 'Pages',
  access: 'public',
  produces: 'text/html',
  hidden: true,
} as const

/** Pages of the console outside of /app; with FRONTEND_URL set, each goes to the same path there. */
export function pageRoutes(app: App, services: Services, webConsole: WebConsole): void {
  for (const { url, id, summary } of ENTRANCES)
    page(app, {
      ...common,
      url,
      id,
      summary,
      skipGeneralLimits: true,
      databaseFree: true,
      success: [services.config.FRONTEND_URL ? 302 : 200, Text],
      otherResponses: { 503: Text },
      run: (_, { http }) => toFrontend(services, url, http.url) ?? webConsole.render(),
    })
  page(app, {
    ...common,
    url: '/account',
    id: 'pageAccount',
    summary: 'Your account',
    skipGeneralLimits: true,
    databaseFree: true,
    success: [302, Text],
    run: (_, { http }) => toFrontend(services, '/account', http.url) ?? redirect('/app/account'),
  })
  linkPages(app, services, webConsole)
  for (const [name, type] of ASSETS)
    asset(app, {
      url: `/assets/${name}`,
      type,
      text: readFileSync(join(import.meta.dirname, 'assets', name), 'utf8'),
    })
  asset(app, { url: '/favicon.ico', type: 'image/svg+xml', text: ICON })
  asset(app, { url: '/robots.txt', type: 'text/plain', text: ROBOTS })
}

const ENTRANCES = [
  { url: '/', id: 'pageHome', summary: 'Home page' },
  { url: '/signup', id: 'pageSignUp', summary: 'Create an account' },
  { url: '/login', id: 'pageSignIn', summary: 'Sign in' },
  { url: '/auth/done', id: 'pageAuthDone', summary: 'After the identity provider' },
] as const

const toFrontend = ({ config }: Pick<Services, 'config'>, path: string, url: string) =>
  config.FRONTEND_URL ? redirect(config.FRONTEND_URL + path + queryOf(url)) : null

function linkPages(app: App, services: Services, webConsole: WebConsole): void {
  const hasFrontend = Boolean(services.config.FRONTEND_URL)
  for (const { path, id, summary, read } of LINKS)
    page(app, {
      ...common,
      id,
      summary,
      url: `/${path}/{token}`,
      params: TokenPath,
      excludeErrors: [400],
      success: [hasFrontend ? 302 : 200, Text],
      otherResponses: hasFrontend ? {} : { 404: Text, 503: Text },
      run: async (_, { params: { token }, http }) =>
        toFrontend(services, `/${path}/${encodeURIComponent(token)}`, http.url) ??
        showLink(webConsole, await read(services, token)),
    })
}

const showLink = (webConsole: WebConsole, link: LinkData) =>
  webConsole.render({ link, status: link.state === 'good' ? 200 : 404 })

const SCRIPT = 'text/javascript'
/** Of the pages that need no console: the sandbox's, those for programs of mail, and the documentation. */
const ASSETS = [
  ['pages.css', 'text/css'],
  ['pages.js', SCRIPT],
  ['api.js', SCRIPT],
  ['dom.js', SCRIPT],
  ['forms.js', SCRIPT],
  ['docs.css', 'text/css'],
  ['docs-page.css', 'text/css'],
  ['docs-samples.css', 'text/css'],
  ['docs-sizes.css', 'text/css'],
  ['docs.js', SCRIPT],
  ['docs-key.js', SCRIPT],
  ['docs-search.js', SCRIPT],
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
