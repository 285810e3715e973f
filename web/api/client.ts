import createClient, { type Middleware } from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import { QueryClient } from '@tanstack/react-query'
import type { Error as ErrorBody, paths } from './schema.d.ts'
import { asProblem, Problem } from './problem.ts'
import { maySignedIn, renewSession, SESSION_HEADER } from './session.ts'
import { requestStepUp } from './step-up.ts'

/** Operations that prove who the caller is: their 401 is an answer, not the end of a session. */
const isEntrance = (url: string): boolean =>
  /\/auth\/(?!sessions|change-password)/.test(new URL(url).pathname)

const headers: Middleware = {
  onRequest({ request }) {
    request.headers.set('x-svc-session', SESSION_HEADER['x-svc-session'])
    // Repeated by us or by the network, a write takes effect once.
    if (request.method !== 'GET') request.headers.set('Idempotency-Key', randomKey())
    return request
  },
}

// `crypto.randomUUID` is missing where the page came over plain http.
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-')

/** Sends a request; renews the session or asks for a step-up where the API wants it, and then repeats the request. */
async function send(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await fetch(request)
  if (response.status === 401 && maySignedIn() && !isEntrance(request.url))
    return (await renewSession()) ? fetch(again) : response
  if (response.status === 403 && (await codeOf(response)) === 'STEP_UP_REQUIRED')
    return (await requestStepUp()) ? fetch(again) : response
  return response
}

const codeOf = async (response: Response): Promise<string | undefined> =>
  ((await response.clone().json()) as Partial<ErrorBody>).code

const problems: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return
    const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
    throw new Problem(response.status, body)
  },
  onError: ({ error }) => asProblem(error),
}

/** The API of the service, typed by its OpenAPI document. A refusal is thrown as `Problem`. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send })
api.use(headers, problems)

/** The same as hooks: `$api.useQuery('get', '/agents', { params })`, `$api.useMutation('post', ...)`. */
export const $api = createQueryClient(api)

/** Answers stay fresh for 15 seconds; what was refused is not asked again by itself, what did not arrive is, twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => {
        const { status } = asProblem(error)
        return failures < 2 && (status === 0 || status >= 502)
      },
    },
    mutations: { retry: false },
  },
})

/** Draws everything anew that was read from one of these paths, after a write. */
export const refreshReads = (...prefixes: string[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [, path] }) =>
      typeof path === 'string' && prefixes.some(prefix => path.startsWith(prefix)),
  })
