import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'

const GONE = Symbol('gone')

/**
 * Aborts when the connection closes. One for all requests of a connection, of which one at a time is under way: a listener
 * for each would stay until a connection ends that a proxy may use for days.
 */
export function goneSignal(socket: Socket & { [GONE]?: AbortSignal }): AbortSignal {
  const known = socket[GONE]
  if (known) return known
  if (socket.destroyed) return AbortSignal.abort()
  const gone = new AbortController()
  setMaxListeners(0, gone.signal)
  socket.once('close', () => gone.abort())
  return (socket[GONE] = gone.signal)
}
