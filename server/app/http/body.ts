import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import type { App } from '#platform/http/operation'
import { asError } from '#platform/kernel/unknown'

// The escape itself; a backslash that is escaped begins none.
const NUL = /(?<!\\)(?:\\\\)*\\u0000/
/** What goes deeper no serializer and no database takes well. */
const DEEPEST = 64

/** JSON only. An empty body is no body whatever its header says; another media type is a 400 that says so. */
export function installBodies(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.decorateRequest('rawBody', null)
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (request, raw: Buffer, done) => {
      if (request.routeOptions.config.rawBody) request.rawBody = raw
      if (!raw.length) return done(null, undefined)
      const text = raw.toString('utf8')
      // A text column cannot store NUL, so every route refuses it here.
      if (text.includes('\\u0000') && NUL.test(text))
        return done(invalid('the body must not contain \\u0000'))
      if (isDeep(text)) return done(invalid(`the body must not be nested deeper than ${DEEPEST} levels`))
      const parse = needsCare(text) ? parseJson : parseAtOnce
      return parse(request, text, (error, body) => {
        if (error) return done(apiError(COMMON.INVALID_JSON, { hint: locateJsonError(text), cause: error }))
        // Not the same as no body: a client that sends it means something that no operation offers.
        return body === null ? done(invalid('the body must not be null')) : done(null, body)
      })
    },
  )
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    if (request.routeOptions.config.rawBody) request.rawBody = raw
    if (!raw.length || request.routeOptions.config.ignoreForm) return done(null, undefined)
    return done(invalid('send the body as JSON with Content-Type: application/json'))
  })
}

const BYTE_ORDER_MARK = 0xfeff

/**
 * Whether a text may have a key that changes a prototype, or begins with a byte order mark. The parser of the framework knows
 * both, but its patterns take longer than the parsing.
 */
const needsCare = (text: string): boolean =>
  text.includes('__proto__') ||
  text.includes('constructor') ||
  text.includes('\\u') ||
  text.charCodeAt(0) === BYTE_ORDER_MARK

function parseAtOnce(
  _request: unknown,
  text: string,
  done: (error: Error | null, body?: unknown) => void,
): void {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    return done(asError(error))
  }
  done(null, body)
}

// V8 quotes the body in some of its messages; only the position goes into the response.
function locateJsonError(text: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(asError(error).message) ?? []
    if (line) return `The error is at line ${line}, column ${column}`
  }
  return 'Check quotes, commas and brackets'
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/** Whether brackets outside of strings are nested deeper than `DEEPEST`; checked before any parser recurses. */
function isDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    // Code units: for a body of a megabyte this takes a fifth of the time that characters take.
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) isInString = !isInString
    else if (isInString) at += unit === BACKSLASH ? 1 : 0
    else if (unit === OPEN_ARRAY || unit === OPEN_OBJECT) depth++
    else if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) depth--
    if (depth > DEEPEST) return true
  }
  return false
}
