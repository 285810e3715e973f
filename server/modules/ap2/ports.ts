import type { RequestContext } from '#platform/http/principal'
import type { Queryable } from '#platform/kernel/db'
import { definePort } from '#platform/kernel/ports'

/** Waits for events of one agent from the moment when it was opened. */
export interface WorkWatch {
  /** True once there was an event, false after `ms` milliseconds or when the service stops. Throws 401 if the credential ended. */
  next(ms: number, signal: AbortSignal): Promise<boolean>
  close(): void
}

/** Opens a watch on an agent that the caller may operate. */
export const workWatch = definePort<{ ctx: RequestContext; agentId: string }, WorkWatch, Queryable>(
  'ap2.work-watch',
  'one',
)
