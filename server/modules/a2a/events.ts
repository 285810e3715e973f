import { defineEvent } from '#platform/kernel/events'

interface RequestEvent {
  requestId: string
  requesterAgentId: string
  responderAgentId: string
}

/** An agent asks another one to work together. */
export const a2aRequested = defineEvent<RequestEvent>('a2a.requested')

/** A request for collaboration was accepted, was rejected, or expired without a response. */
export const a2aRequestEnded = defineEvent<RequestEvent & { status: 'ACCEPTED' | 'REJECTED' | 'EXPIRED' }>(
  'a2a.request_ended',
)
