import { HTML_TYPE, htmlPage, pageHeaders } from '#platform/http/page/layout'
import type { HttpRequest } from '#platform/http/operation'
import { page, query, type App } from '#platform/http/operations'
import { redirect } from '#platform/http/response'
import { Type } from '#platform/http/type'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import type { StoredText } from '../http/stored-text.ts'
import type { DocsSite, SiteOptions } from './site.ts'

const PLAIN = 'text/plain; charset=utf-8'
const Query = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) })
const Hit = Type.Object({
  url: Type.String({ description: 'Address of the section' }),
  title: Type.String({ description: 'Title of the section' }),
  place: Type.String({ description: 'Page that it is on' }),
})
/** The search form goes to this service. */
const POLICY = { 'form-action': "'self'" }

const common = { method: 'GET', tag: 'Discovery', access: 'public', databaseFree: true } as const
const stored = {
  ...common,
  skipGeneralLimits: true,
  responseHeaders: ['ETag'],
  otherResponses: { 304: Type.Null() },
} as const

/** The documentation at /docs. What renders it is loaded with the first page. */
export function docsRoutes(
  app: App,
  { config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>,
  document: StoredText,
): void {
  let opened: Promise<DocsSite> | undefined
  const site = () => (opened ??= openSite({ siteName: config.SITE_NAME, publicUrl, document }))
  page(app, {
    ...stored,
    url: '/docs',
    id: 'pageDocs',
    summary: 'The documentation',
    hidden: true,
    produces: 'text/html',
    success: [200, Type.String()],
    run: async (_, { http }) => sendPage(await site(), '', http),
  })
  page(app, {
    ...stored,
    url: '/docs/*',
    id: 'pageOfDocs',
    summary: 'A page of the documentation',
    hidden: true,
    produces: 'text/html',
    params: Type.Object({ '*': Type.String() }),
    excludeErrors: [400],
    success: [200, Type.String()],
    otherResponses: { ...stored.otherResponses, 301: Type.Null() },
    run: async (_, { http, params: { '*': path } }) => {
      // Copies of the document were here.
      if (path === 'json' || path === 'yaml') return redirect(`/openapi.${path}`, { status: 301 })
      return sendPage(await site(), path.replace(/\/$/, ''), http)
    },
  })
  searchRoutes(app, site)
  page(app, {
    ...stored,
    url: '/llms-full.txt',
    id: 'getLlmsFullText',
    summary: 'Get the whole documentation as one text',
    description:
      'Every guide and the API reference as Markdown, for language models; `/llms.txt` is the short form.',
    produces: 'text/plain',
    success: [200, Type.String()],
    run: async (_, { http }) => (await site()).all.answer(http, PLAIN),
  })
}

async function openSite(options: SiteOptions): Promise<DocsSite> {
  const { DocsSite } = await import('./site.ts')
  return new DocsSite(options)
}

/** The page at `path`, as Markdown where that ends in .md. */
async function sendPage(site: DocsSite, path: string, http: HttpRequest) {
  const [, named] = /^(.+)\.md$/.exec(path) ?? []
  const text = await (named === undefined ? site.page(path) : site.text(named === 'index' ? '' : named))
  if (!text) throw apiError(COMMON.ROUTE_NOT_FOUND, { hint: `No page /docs/${path}. All pages are on /docs` })
  return named === undefined
    ? text.answer(http, HTML_TYPE, pageHeaders(POLICY))
    : text.answer(http, PLAIN, { 'x-robots-tag': 'noindex' })
}

function searchRoutes(app: App, site: () => Promise<DocsSite>): void {
  page(app, {
    ...common,
    url: '/docs/search',
    id: 'pageDocsSearch',
    summary: 'Search the documentation',
    hidden: true,
    produces: 'text/html',
    query: Query,
    success: [200, Type.String()],
    run: async (_, { query: { q = '' } }) => htmlPage(await (await site()).results(q), { policy: POLICY }),
  })
  query(app, {
    ...common,
    url: '/docs/search.json',
    id: 'searchDocs',
    summary: 'Search the documentation as JSON',
    hidden: true,
    query: Query,
    success: [200, Type.Object({ items: Type.Array(Hit) })],
    run: async (_db, _ctx, { query: { q = '' } }) => ({ items: await (await site()).find(q) }),
  })
}
