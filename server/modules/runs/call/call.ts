import { createHash } from 'node:crypto'
import { agentById, type Agent } from '#agents'
import { after } from '#platform/kernel/clock'
import { QueueFull } from '#platform/kernel/collections/fair-queue'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Services } from '#platform/kernel/services'
import { endRun } from '../end.ts'
import { ATTEMPTS_MAX, BUSY_PAUSE, CALL_LEASE, WORK_TIME } from '../limits.ts'
import { applyReport, checkReport, type CheckedReport } from '../result.ts'
import { lockRun } from '../run.ts'
import { LIVE, runMachine } from '../run-machine.ts'
import * as statements from '../sql.ts'
import type { Run } from '../sql.ts'
import { pauseAfter, readAnswer, type Exchange, type Verdict } from './answer.ts'
import { sendRun, type Caller } from './request.ts'

const CALL_JOB = 'runs.call'

/** Adds the next call of an endpoint to the outbox of this transaction. */
export const enqueueCall = (tx: Tx, { jobs }: Pick<Services, 'jobs'>, run: Pick<Run, 'id' | 'attempts'>) =>
  jobs.enqueue(tx, CALL_JOB, { runId: run.id, attempt: run.attempts + 1 })

/**
 * Starts a call and does not wait for it: a worker takes one job at a time, and an endpoint may take 30 seconds. The row of
 * the run says that the call is under way, and its deadline repeats one that was cut off.
 */
export const callJob = (services: Services, caller: Caller): JobDefinition => ({
  name: CALL_JOB,
  handle: async ({ runId, attempt }) => {
    const call = { runId: String(runId), attempt: Number(attempt) }
    caller.begin(callAgent(services, caller, call), error =>
      services.log.error({ err: error, ...call }, 'call of an endpoint not recorded'),
    )
  },
})

interface Call {
  runId: string
  attempt: number
}

/** One call, when there is a place for it. */
async function callAgent(services: Services, caller: Caller, call: Call): Promise<void> {
  const run = await services.db.maybe(statements.runById(call.runId))
  if (!run) return
  try {
    await caller.queue.run(run.agentId, () => callNow(services, caller, call))
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    await services.db.transaction(tx => postpone(tx, call))
  }
}

async function postpone(tx: Tx, { runId, attempt }: Call): Promise<void> {
  const run = await tx.maybe(statements.lockRun(runId))
  if (!run || run.callAt === null || run.attempts !== attempt - 1) return
  await tx.run(statements.updateRun(runId, { callAt: after(tx.now, BUSY_PAUSE) }))
}

/** Claims the attempt, calls without a transaction, and records what came of it. */
async function callNow(services: Services, caller: Caller, call: Call): Promise<void> {
  const { db, schemas } = services
  const claimed = await db.transaction(tx => claimAttempt(tx, call))
  if (!claimed) return
  const agent = await agentById(db, claimed.run.agentId)
  const startedAt = performance.now()
  const exchange = await exchangeWith(services, caller, { agent, run: claimed.run })
  const durationMs = Math.round(performance.now() - startedAt)
  const verdict = readAnswer(exchange)
  const report =
    agent && verdict.kind === 'report'
      ? await checkReport(schemas, agent, { run: claimed.run, report: verdict.report })
      : null
  await db.transaction(tx => recordAttempt(tx, claimed, { exchange, durationMs, verdict, report }))
}

const refused = (code: string, message: string): Exchange => ({ status: null, code, message, isFinal: true })

async function exchangeWith(
  services: Services,
  caller: Caller,
  { agent, run }: { agent: Agent | undefined; run: Run },
): Promise<Exchange> {
  if (agent?.status === 'SUSPENDED') return refused('suspended', 'the agent is suspended')
  if (!agent?.ap2Endpoint) return refused('no_endpoint', 'the agent has no endpoint any more')
  return sendRun(services, caller, { run, endpoint: agent.ap2Endpoint })
}

interface Claimed {
  attemptId: string
  attempt: number
  run: Run
}

/** Starts one attempt: of several jobs for it, one. Null if it was made, or the run needs none any more. */
async function claimAttempt(tx: Tx, { runId, attempt }: Call): Promise<Claimed | null> {
  const run = await tx.maybe(statements.lockRun(runId))
  if (!run || run.callAt === null || run.attempts !== attempt - 1) return null
  const set = { attempts: attempt, callAt: after(tx.now, CALL_LEASE) }
  const claimed =
    run.status === 'PENDING'
      ? await transition(tx, runMachine, run, {
          event: 'start',
          by: 'caller',
          set: { ...set, startedAt: tx.now, deadlineAt: after(tx.now, WORK_TIME) },
        })
      : { ...run, ...set }
  if (run.status !== 'PENDING') await tx.run(statements.updateRun(run.id, { ...set, updatedAt: tx.now }))
  const attemptId = newId()
  await tx.run(statements.insertAttempt({ id: attemptId, runId, number: attempt, startedAt: tx.now }))
  return { attemptId, attempt, run: claimed }
}

interface Made {
  exchange: Exchange
  durationMs: number
  verdict: Verdict
  report: CheckedReport | null
}

/** Records an attempt, and what it means for the run: whoever ended the run before has decided. */
async function recordAttempt(tx: Tx, claimed: Claimed, made: Made): Promise<void> {
  const { exchange, durationMs, verdict, report } = made
  const locked = await lockRun(tx, claimed.run.id)
  const body = exchange.status === null ? null : exchange.body
  await tx.run(
    statements.endAttempt({
      id: claimed.attemptId,
      endedAt: tx.now,
      outcome: report?.mismatch?.code ?? verdict.outcome,
      httpStatus: exchange.status,
      durationMs,
      responseBytes: body?.length ?? null,
      responseSha256: body && createHash('sha256').update(body).digest('hex'),
    }),
  )
  const { run } = locked
  if (!LIVE.includes(run.status)) return
  if (report) {
    await applyReport(tx, locked, { report, by: 'caller', agentId: run.agentId })
    return
  }
  // A later attempt is under way, or the agent reports by itself.
  if (run.attempts !== claimed.attempt || run.callAt === null || verdict.kind === 'report') return
  const pause = verdict.kind === 'retry' ? pauseAfter(run.attempts) : null
  if (pause !== null) await tx.run(statements.updateRun(run.id, { callAt: after(tx.now, pause) }))
  else
    await endRun(tx, locked, {
      event: 'fail',
      by: 'caller',
      error: { code: 'ENDPOINT_FAILED', message: verdict.message },
    })
}

/** Timer: a call is due, or one was cut off. After the last attempt the run has failed. */
export async function callAgain(tx: Tx, services: Pick<Services, 'jobs'>, runId: string): Promise<void> {
  const locked = await lockRun(tx, runId)
  const { run } = locked
  if (!run.callAt || run.callAt > tx.now) return
  if (run.attempts >= ATTEMPTS_MAX) {
    const error = { code: 'ENDPOINT_FAILED', message: 'the endpoint did not answer' }
    await endRun(tx, locked, { event: 'fail', by: 'caller', error })
    return
  }
  await tx.run(statements.updateRun(run.id, { callAt: after(tx.now, CALL_LEASE) }))
  await enqueueCall(tx, services, run)
}
