import { randomUUID } from 'node:crypto'
import { apiError } from '#platform/kernel/errors'
import { isRecord } from '#platform/kernel/unknown'
import { MCP } from '../errors.ts'

/** What the service knows of a client beyond its credential. */
export interface Session {
  id: string | null
  /** The client shows forms to its user (elicitation). */
  canAsk: boolean
}

const FORM = /^[0-9a-f-]{36}\.(form|plain)$/

/**
 * The id of a new session. It holds what the client declared, so that no process stores sessions: each can serve every request.
 * It proves nothing; every request is authenticated by its credential.
 */
export function newSessionId(params: unknown): string {
  const capabilities = isRecord(params) ? params.capabilities : undefined
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined
  // An empty object means forms (before revision 2025-11-25 there was nothing else).
  const canAsk = isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))
  return `${randomUUID()}.${canAsk ? 'form' : 'plain'}`
}

/** 404 for an id that this service did not make: the client then begins a new session. */
export function sessionOf(id: unknown): Session {
  if (id === undefined) return { id: null, canAsk: false }
  const kind = typeof id === 'string' ? FORM.exec(id)?.[1] : undefined
  if (typeof id !== 'string' || !kind)
    throw apiError(MCP.MCP_SESSION_NOT_FOUND, { hint: 'Send initialize without Mcp-Session-Id' })
  return { id, canAsk: kind === 'form' }
}
