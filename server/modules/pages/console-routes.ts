import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { media, redirect } from '#platform/http/response'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { WebConsole } from './console.ts'

const Text = Type.String()
const common = {
  method: 'GET',
  tag: 'Pages',
  access: 'public',
  hidden: true,
  skipGeneralLimits: true,
  databaseFree: true,
} as const

/** The web console and its assets; with `frontend` the pages redirect there. */
export function consoleRoutes(app: App, webConsole: WebConsole, frontend: string | undefined): void {
  const shared = {
    ...common,
    produces: 'text/html',
    success: [frontend ? 302 : 200, Text],
    otherResponses: { 503: Text },
  } as const
  const answer = (path: string, url: string) =>
    frontend ? redirect(frontend + path + queryOf(url)) : webConsole.render()
  page(app, {
    ...shared,
    url: '/app',
    id: 'pageConsole',
    summary: 'The web console',
    run: (_, { http }) => answer('/app', http.url),
  })
  page(app, {
    ...shared,
    url: '/app/*',
    id: 'pageOfConsole',
    summary: 'A page of the web console',
    params: Type.Object({ '*': Text }),
    excludeErrors: [400, 404],
    run: (_, { params, http }) => answer(`/app/${encodePath(params['*'])}`, http.url),
  })
  assetRoute(app, webConsole)
}

/** The path is the route's own: a request may name another host before it. */
export const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

function assetRoute(app: App, { build }: WebConsole): void {
  page(app, {
    ...common,
    url: '/assets/{name}',
    id: 'assetOfConsole',
    summary: 'An asset of the web console',
    produces: 'application/octet-stream',
    params: Type.Object({ name: Text }),
    excludeErrors: [400],
    success: [200, Text],
    run: async (_, { params: { name }, http }) => {
      const asset = await build.asset(name, http.headers['accept-encoding']?.toString())
      if (!asset) throw apiError(COMMON.ROUTE_NOT_FOUND, { hint: `No asset ${name}` })
      return media(asset.content, asset.mediaType, {
        headers: {
          // The name contains a hash of the content.
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
          ...(asset.coding ? { 'content-encoding': asset.coding } : {}),
        },
      })
    },
  })
}
