import type { Machine } from '#platform/kernel/machine'

export const RUN_STATES = ['OPEN', 'QUEUED', 'RUNNING', 'PASSED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const
export type RunStatus = (typeof RUN_STATES)[number]
export type RunEvent = 'start' | 'begin' | 'pass' | 'fail' | 'time_out' | 'abort'
/** `system` is the result of the tasks, or the end of the account that created the run. */
export type RunActor = 'creator' | 'admin' | 'system' | 'timer'

/** Participants are added while OPEN. From each other state that is not final a timer leads to an end. */
export const runMachine: Machine<RunStatus, RunEvent, RunActor> = {
  name: 'certification run',
  table: 'certification_run',
  states: RUN_STATES,
  terminal: ['PASSED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
  timers: ['timer'],
  edges: [
    { from: ['OPEN'], event: 'start', by: ['creator'], to: 'QUEUED' },
    { from: ['QUEUED'], event: 'begin', by: ['timer'], to: 'RUNNING' },
    { from: ['RUNNING'], event: 'pass', by: ['system'], to: 'PASSED' },
    { from: ['RUNNING'], event: 'fail', by: ['system'], to: 'FAILED' },
    { from: ['QUEUED', 'RUNNING'], event: 'time_out', by: ['timer'], to: 'TIMED_OUT' },
    { from: ['OPEN'], event: 'abort', by: ['timer'], to: 'ABORTED' },
    {
      from: ['OPEN', 'QUEUED', 'RUNNING'],
      event: 'abort',
      by: ['creator', 'admin', 'system'],
      to: 'ABORTED',
    },
  ],
}
