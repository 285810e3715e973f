/** Keys of writes that may have taken effect without an answer, by method, address and body. */
const unanswered = new Map<string, string>()

/**
 * Sends a write with an Idempotency-Key. Where no answer of the service came (none, or one of a proxy), nobody knows
 * whether it took effect: repeated by the person, it has the same key, until a write of this page succeeds. A refusal
 * keeps the key: it may be one because the first request still runs, and the service frees the key of a refused request.
 */
export async function sendOnce(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  // A file is not worth reading for this.
  const isFile = request.headers.get('content-type') === 'application/octet-stream'
  const what = isFile ? '' : `${request.method} ${request.url} ${await request.clone().text()}`
  const key = unanswered.get(what) ?? randomKey()
  request.headers.set('Idempotency-Key', key)
  const keep = () => void (what && unanswered.set(what, key))
  try {
    const response = await send(request)
    if (response.ok) unanswered.clear()
    if (response.status >= 500) keep()
    return response
  } catch (error) {
    keep()
    throw error
  }
}

// `crypto.randomUUID` is missing where the page came over plain http.
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-')
