import { answerOfUnknown } from '#gateway'
import { notFoundPage } from '#pages'
import { COMMON, envelope, type ErrorRow } from '#platform/kernel/errors'
import type { App } from '#platform/http/operation'
import { asPage } from '#platform/http/page/layout'

// Browsers name HTML first; programs name JSON or take anything.
const prefersPages = (accept = ''): boolean => /^text\/html\b/.test(accept)

const matcherOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.*]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}/?$`)

/** A path that exists under another method is a 405 that names it; any other is a 404 that says where to look, to people in a page. */
export function installNotFound(app: App): void {
  const routes: { methods: string[]; url: string }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat(), url })
  })
  // Compiled for the first path that is not found: a start needs none of them.
  let known: { methods: string[]; matches: RegExp }[] | undefined
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    known ??= routes.map(({ methods, url }) => ({ methods, matches: matcherOf(url) }))
    const all = known
    const methodsAt = (at: string) => [
      ...new Set(all.filter(({ matches }) => matches.test(at)).flatMap(each => each.methods)),
    ]
    const methods = methodsAt(path).sort()
    request.refusal = { code: methods.length ? 'METHOD_NOT_ALLOWED' : 'ROUTE_NOT_FOUND' }
    const refuse = (row: ErrorRow, hint: string): void =>
      void reply.code(row.status).send(answerOfUnknown(request, envelope(row, { hint })))
    if (methods.length) {
      const allowed = methods.join(', ')
      reply.header('allow', allowed)
      refuse(COMMON.METHOD_NOT_ALLOWED, `${request.method} is not allowed on ${path}. Allowed: ${allowed}`)
    } else if (request.method === 'GET' && prefersPages(request.headers.accept))
      void asPage(reply.code(404)).send(notFoundPage())
    else {
      const close = withOtherBase(path)
      const advice = methodsAt(close).includes(request.method)
        ? `Did you mean ${close}? Change the base URL of the client`
        : 'The API is described at /docs and /openapi.json'
      refuse(COMMON.ROUTE_NOT_FOUND, `No operation ${request.method} ${path}. ${advice}`)
    }
  })
}

/** The path that a client of models meant: the base URL of some ends with `/v1`, and others add it themselves. */
const withOtherBase = (path: string): string => (path.startsWith('/v1/') ? path.slice(3) : `/v1${path}`)
