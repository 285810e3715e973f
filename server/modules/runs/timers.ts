import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import type { Timer } from '#platform/kernel/background/timers'
import { callAgain } from './call/call.ts'
import { endRun, settleRun } from './end.ts'
import { lockRun } from './run.ts'
import { LIVE, type RunStatus } from './run-machine.ts'

/** Every deadline of runs: each state but the last ones ends by one of them. */
export const runTimers = (services: Services): Timer[] => [
  {
    name: 'call of an endpoint',
    table: 'runs_run',
    column: 'call_at',
    where: part`call_at is not null`,
    run: (tx, id) => callAgain(tx, services, id),
  },
  {
    name: 'run too late',
    table: 'runs_run',
    column: 'deadline_at',
    where: part`ended_at is null`,
    run: expireRun,
  },
  {
    name: 'run neither paid nor refunded',
    table: 'runs_run',
    column: 'payment_due_at',
    where: part`payment_due_at is not null`,
    run: settleAgain,
  },
]

const REASONS: Partial<Record<RunStatus, string>> = {
  AWAITING_APPROVAL: 'it was not approved in 72 hours',
  PENDING: 'the agent did not fetch it in 15 minutes',
  RUNNING: 'the agent did not report a result in 24 hours',
}

async function expireRun(tx: Tx, id: string): Promise<void> {
  const locked = await lockRun(tx, id)
  const { run } = locked
  if (!LIVE.includes(run.status) || !run.deadlineAt || run.deadlineAt > tx.now) return
  const error = { code: 'TIMED_OUT', message: REASONS[run.status] ?? null }
  await endRun(tx, locked, { event: 'expire', by: 'timer', error })
}

async function settleAgain(tx: Tx, id: string): Promise<void> {
  const locked = await lockRun(tx, id)
  if (locked.run.paymentDueAt && locked.run.paymentDueAt <= tx.now) await settleRun(tx, locked)
}
