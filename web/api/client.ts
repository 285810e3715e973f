import createClient, { type Middleware } from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import { QueryClient } from '@tanstack/react-query'
import type { Error as ErrorBody, paths } from './schema.d.ts'
import { asProblem, NO_SESSION, Problem } from './problem.ts'
import { sendOnce } from './retry-key.ts'
import { maySignedIn, renewSession, SESSION_HEADER } from './session.ts'
import { requestStepUp } from './step-up.ts'

const headers: Middleware = {
  onRequest({ request }) {
    request.headers.set('x-svc-session', SESSION_HEADER['x-svc-session'])
    return request
  },
}

/** Sends a request; renews the session or asks for a step-up where the API wants it, and then repeats the request. */
async function send(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await fetch(request)
  if (response.status === 401 && maySignedIn() && NO_SESSION.includes(await codeOf(response)))
    return (await mayRepeat(again)) ? fetch(again) : response
  if (response.status === 403 && (await codeOf(response)) === 'STEP_UP_REQUIRED')
    return (await requestStepUp()) ? fetch(again) : response
  return response
}

/** Renews the session. Where that is refused, a visitor may still read what everybody may read. */
async function mayRepeat({ method, headers }: Request): Promise<boolean> {
  if ((await renewSession()) || !maySignedIn()) return true
  headers.delete('x-svc-session')
  return method === 'GET'
}

// A proxy may answer with a page of its own.
const bodyOf = async (response: Response): Promise<Partial<ErrorBody>> =>
  (await response.json().catch(() => ({}))) as Partial<ErrorBody>

const codeOf = async (response: Response): Promise<string | undefined> =>
  (await bodyOf(response.clone())).code

const problems: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return
    const body = await bodyOf(response)
    const retryAfter = Number(response.headers.get('retry-after'))
    throw new Problem(response.status, body, retryAfter > 0 ? { retrySeconds: retryAfter } : {})
  },
  onError: ({ error }) => asProblem(error),
}

// Repeated by a person, by us or by the network, a write takes effect once.
const sendRequest = (request: Request): Promise<Response> =>
  request.method === 'GET' ? send(request) : sendOnce(request, send)

/** The API of the service, typed by its OpenAPI document. A refusal is thrown as `Problem`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: sendRequest })
api.use(headers, problems)

/** The same as hooks: `$api.useQuery('get', '/agents', { params })`, `$api.useMutation('post', ...)`. */
export const $api = createQueryClient(api)

/** Answers stay fresh for 15 seconds; what was refused is not asked again by itself, what did not arrive is, twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 15_000,
      retry: (failures, error) => {
        const { status } = asProblem(error)
        return failures < 2 && (status === 0 || status >= 502)
      },
    },
    // Offline too: a request that waits without a word looks like a page that hangs.
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Draws everything anew that was read from one of these paths, after a write. */
export const refreshReads = (...prefixes: string[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [, path] }) =>
      typeof path === 'string' && prefixes.some(prefix => path.startsWith(prefix)),
  })
