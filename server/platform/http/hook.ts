import type { FastifyReply, FastifyRequest } from 'fastify'

type Done = (error?: Error) => void

/**
 * Hooks of every request. They continue at once unless `run` returns a promise: an async function would cost each request a
 * turn of the microtask queue for each hook.
 */
export const hook =
  (run: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void) =>
  (request: FastifyRequest, reply: FastifyReply, done: Done): Promise<void> | void => {
    const pending = run(request, reply)
    if (!pending) done()
    // The framework waits for a promise in place of the callback.
    return pending
  }

/** The same for `onSend`; the body stays as it is. */
export const sendHook =
  (run: (request: FastifyRequest, reply: FastifyReply) => void) =>
  (request: FastifyRequest, reply: FastifyReply, _body: unknown, done: Done): void => {
    run(request, reply)
    done()
  }
