import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Connection } from '#platform/kernel/database/connection'

/** A statement that a request sent. */
export interface RecordedQuery {
  text: string
  /** It was sent after a response: a new round trip. False if it was sent together with the one before. */
  isFirst: boolean
}

const inRequest = new AsyncLocalStorage<true>()
const enter = (): void => inRequest.enterWith(true)

/**
 * The result of `work`, and every statement that the HTTP requests of this process send meanwhile, at the database client.
 * Statements of loops and jobs are left out.
 */
export async function recordQueries<T>(
  work: () => Promise<T>,
): Promise<{ result: T; queries: RecordedQuery[] }> {
  const queries: RecordedQuery[] = []
  const waiting = new WeakSet<object>()
  const { prototype } = Connection
  const { execute } = prototype
  prototype.execute = function record(this: Connection, statement): ReturnType<typeof execute> {
    const sent = Reflect.apply(execute, this, [statement])
    if (!inRequest.getStore()) return sent
    queries.push({ text: statement.text, isFirst: !waiting.has(this) })
    waiting.add(this)
    const answered = () => waiting.delete(this)
    sent.then(answered, answered)
    return sent
  }
  subscribe('http.server.request.start', enter)
  try {
    return { result: await work(), queries }
  } finally {
    unsubscribe('http.server.request.start', enter)
    prototype.execute = execute
  }
}
