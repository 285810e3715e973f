import { agentStats } from '#agents'
import { runDeals } from '#ap2'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import { transition } from '#platform/kernel/machine'
import { json } from '#platform/kernel/sql'
import { runEnded, runSettled } from './events.ts'
import { eraseTextOfEndedRun } from './erase.ts'
import { PAYMENT_RETRY } from './limits.ts'
import type { LockedRun } from './run.ts'
import { LIVE, runMachine, type RunEvent, type RunTrigger } from './run-machine.ts'
import * as statements from './sql.ts'
import type { Run, RunPayment } from './sql.ts'

/** How a run ends. */
export interface Ending {
  event: Exclude<RunEvent, 'approve' | 'start'>
  by: RunTrigger
  actorId?: string | null
  output?: unknown
  /** Why it did not succeed; `message` may be the agent's own words. */
  error?: { code: string; message: string | null }
}

/** The one way in which a run ends: its state changes, and its price is paid or refunded in the same transaction. */
export async function endRun(tx: Tx, { run, deal }: LockedRun, ending: Ending): Promise<Run> {
  const { event, by, actorId = null, output = null, error } = ending
  const ended = await transition(tx, runMachine, run, {
    event,
    by,
    actorId,
    set: {
      endedAt: tx.now,
      deadlineAt: null,
      callAt: null,
      output: output === null ? null : json(output),
      errorCode: error?.code ?? null,
      errorMessage: error?.message ?? null,
    },
    details: error ? { code: error.code } : {},
  })
  if (ended.status === 'SUCCEEDED') await agentStats.addExecution(tx, run.agentId)
  const isSettled = await settleRun(tx, { run: ended, deal })
  await publish(tx, runEnded, {
    ...statements.eventOf(ended),
    isOrdered: run.status !== 'AWAITING_APPROVAL',
    isSettled,
  })
  await eraseTextOfEndedRun(tx, run.id)
  return tx.one(statements.runById(run.id))
}

/** Pays or refunds an ended run. False while its escrow is frozen: then that is tried again later. */
export async function settleRun(tx: Tx, { run, deal }: LockedRun): Promise<boolean> {
  if (!deal || run.payment !== 'HELD') return true
  const isSettled =
    run.status === 'SUCCEEDED'
      ? await runDeals.payRun(tx, deal, run)
      : await runDeals.refundRun(tx, deal, {
          code: `run_${run.status.toLowerCase()}`,
          reason: `the run is ${run.status}`,
          // Silence after it took the run counts against the agent; a reported failure does not.
          sellerFailed: run.status === 'TIMED_OUT' && run.takenAt !== null,
        })
  if (!isSettled) await tx.run(statements.updateRun(run.id, { paymentDueAt: after(tx.now, PAYMENT_RETRY) }))
  return isSettled
}

/**
 * Subscriber of `escrow.ended`: the run records it. A run that still waits ends with an escrow that an operator ended. The
 * event of the end of a run says what becomes of its money, unless that happens later or in another way.
 */
export async function recordEndOfEscrow(
  tx: Tx,
  event: { escrowId: string; status: RunPayment; isRun: boolean; released: bigint; refunded: bigint },
): Promise<void> {
  if (!event.isRun) return
  const run = await tx.maybe(statements.lockRunOfEscrow(event.escrowId))
  if (!run) return
  await tx.run(statements.updateRun(run.id, { payment: event.status, paymentDueAt: null }))
  const isLive = LIVE.includes(run.status)
  if (!isLive && !run.paymentDueAt) return
  const ended = isLive ? await endRunWithoutEscrow(tx, run) : run
  const { released, refunded } = event
  await publish(tx, runSettled, { ...statements.eventOf(ended), released, refunded })
}

const endRunWithoutEscrow = (tx: Tx, run: Run): Promise<Run> =>
  endRun(
    tx,
    { run, deal: null },
    {
      event: 'cancel',
      by: 'system',
      error: { code: 'ESCROW_ENDED', message: 'The escrow ended before the run' },
    },
  )
