/** The route that a path matched: its template, such as `/reset/:token`, and the decoded parameters. */
export interface MatchedRoute {
  template: string
  params: Readonly<Record<string, string | undefined>>
}

const MASK = '***'
const SECRET_PARAMETER = /token|code|secret/i
const SECRET_FIELD = /(?:token|code|key|password|secret)$|^(?:state|email)$/i
/** Keys, wherever they stand. */
const KEY = /\b(sk|sa|rk)_[0-9A-Za-z]+/g
/**
 * Tokens in three parts. What only begins like one matches too and stays, so that no search begins again within it: the
 * time stays linear.
 */
const TOKEN = /\beyJ[\w-]+(\.[\w-]+\.[\w-]*)?/g
/** One-time tokens in a path that no route matched. An id is no secret: it has dashes and is 36 characters long. */
const TOKEN_PATH = /^\/+((?:agents\/+)?(?:claim|setup|reset|verify|login))\/+[^/]+/i
const LONG_SEGMENT = /(?<=\/)(?![\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?:\/|$))[\w-]{30,}(?=\/|$)/gi

/**
 * A URL for the log: tokens, keys and personal data in path and query are masked. The route decides which
 * parts of the path are secret, so that another spelling of the path (`/%72eset/...`) hides nothing.
 */
export function maskUrl(url: string, route?: MatchedRoute): string {
  const [path = '', ...query] = url.split('?')
  const masked = route
    ? fromTemplate(route)
    : decoded(path).replace(TOKEN_PATH, `/$1/${MASK}`).replaceAll(LONG_SEGMENT, MASK)
  return maskKeys(masked) + (query.length ? `?${maskQuery(query.join('?'))}` : '')
}

const maskKeys = (text: string): string =>
  text
    .replaceAll(TOKEN, (found, rest?: string) => (rest === undefined ? found : MASK))
    .replaceAll(KEY, `$1_${MASK}`)

const fromTemplate = ({ template, params }: MatchedRoute): string =>
  template.replaceAll(/:(\w+)|\*/g, (part, name: string | undefined) =>
    name && SECRET_PARAMETER.test(name) ? MASK : maskKeys(params[name ?? '*'] ?? part),
  )

const maskQuery = (query: string): string =>
  [...new URLSearchParams(query)]
    .map(
      ([name, value]) =>
        `${maskKeys(name)}=${SECRET_FIELD.test(name) ? MASK : encodeURIComponent(maskKeys(value.toWellFormed()))}`,
    )
    .join('&')

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
