import type { Machine } from '#platform/kernel/machine'

export const REQUEST_STATES = ['PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED'] as const
export type RequestStatus = (typeof REQUEST_STATES)[number]
export type RequestEvent = 'accept' | 'reject' | 'expire'
/** `system` acts for an account that is being deleted. */
export type RequestTrigger = 'responder' | 'timer' | 'system'

/** A request for collaboration waits for one response. */
export const requestMachine: Machine<RequestStatus, RequestEvent, RequestTrigger> = {
  name: 'a2a request',
  table: 'a2a_request',
  states: REQUEST_STATES,
  terminal: ['ACCEPTED', 'REJECTED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['PENDING'], event: 'accept', by: ['responder'], to: 'ACCEPTED' },
    { from: ['PENDING'], event: 'reject', by: ['responder'], to: 'REJECTED' },
    { from: ['PENDING'], event: 'expire', by: ['timer', 'system'], to: 'EXPIRED' },
  ],
}
