import { fault, COMMON, invalid } from '#platform/fault'
import type { App } from '#platform/http/route'

/** JSON only. An empty body is no body whatever its header says; another media type is a 400 that says so. */
export function installBodies(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.decorateRequest('rawBody', null)
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i, { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    if (request.routeOptions.config.rawBody) request.rawBody = raw
    if (!raw.length) return done(null, undefined)
    const text = raw.toString('utf8')
    // NUL can stand in no text column, so it is refused here for every route.
    if (/\\u0000/i.test(text)) return done(invalid('the body must not contain \\u0000'))
    return parseJson(request, text, (error, body) => {
      done(error ? fault({ ...COMMON.VALIDATION_FAILED, message: 'The body is not valid JSON' }, { hint: error.message, cause: error }) : null, body)
    })
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    if (request.routeOptions.config.rawBody) request.rawBody = raw
    if (!raw.length) return done(null, undefined)
    return done(invalid('send the body as JSON with Content-Type: application/json'))
  })
}
