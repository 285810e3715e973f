import type { Machine } from '#platform/kernel/machine'

export const RUN_STATES = [
  'PENDING',
  'AWAITING_APPROVAL',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
] as const
export type RunStatus = (typeof RUN_STATES)[number]
export const RUN_EVENTS = ['approve', 'reject', 'cancel', 'start', 'succeed', 'fail', 'expire'] as const
export type RunEvent = (typeof RUN_EVENTS)[number]
/** `caller` is the job that calls the endpoint of the agent; `system` follows an escrow that an operator ended. */
export const RUN_TRIGGERS = ['buyer', 'seller', 'caller', 'timer', 'system'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

export const LIVE: readonly RunStatus[] = ['PENDING', 'AWAITING_APPROVAL', 'RUNNING']

/** A run that RUNs cannot be cancelled by its buyer: the agent is working. */
export const runMachine: Machine<RunStatus, RunEvent, RunTrigger> = {
  name: 'run',
  table: 'runs_run',
  states: RUN_STATES,
  terminal: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED'],
  timers: ['timer'],
  edges: [
    { from: ['AWAITING_APPROVAL'], event: 'approve', by: ['buyer'], to: 'PENDING' },
    { from: ['AWAITING_APPROVAL'], event: 'reject', by: ['buyer'], to: 'CANCELLED' },
    { from: ['AWAITING_APPROVAL', 'PENDING'], event: 'cancel', by: ['buyer'], to: 'CANCELLED' },
    { from: LIVE, event: 'cancel', by: ['system'], to: 'CANCELLED' },
    { from: ['PENDING'], event: 'start', by: ['seller', 'caller'], to: 'RUNNING' },
    { from: ['PENDING', 'RUNNING'], event: 'succeed', by: ['seller'], to: 'SUCCEEDED' },
    { from: ['RUNNING'], event: 'succeed', by: ['caller'], to: 'SUCCEEDED' },
    { from: ['PENDING', 'RUNNING'], event: 'fail', by: ['seller'], to: 'FAILED' },
    { from: ['PENDING', 'RUNNING'], event: 'fail', by: ['caller'], to: 'FAILED' },
    { from: LIVE, event: 'expire', by: ['timer'], to: 'TIMED_OUT' },
  ],
}
