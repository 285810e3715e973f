import { requireAgent, type Agent } from '#agents'
import { runDeals } from '#ap2'
import { after } from '#platform/kernel/clock'
import type { Db, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { endRun } from './end.ts'
import { RUNS } from './errors.ts'
import { OUTPUT_MAX, WORK_TIME } from './limits.ts'
import { lockRun, requireRun, type LockedRun } from './run.ts'
import { runMachine } from './run-machine.ts'
import * as statements from './sql.ts'
import type { Run } from './sql.ts'

/** What an agent says of a run. */
export interface Report {
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED'
  output?: unknown
  error?: string | null
}

/** A report whose output was checked: a mismatch makes it a failure. */
export type CheckedReport = Report & { mismatch?: { code: string; message: string } }

/** The agent reports a result. The same report again has the same response; another one is 409 once the run has ended. */
export async function reportResult(
  { db, schemas }: { db: Db; schemas: Services['schemas'] },
  ctx: RequestContext,
  { agentId, runId, ...report }: Report & { agentId: string; runId: string },
): Promise<Run> {
  const agent = await requireAgent(db, ctx, agentId)
  const run = await requireRunOf(await requireRun(db, runId), agent)
  if (report.status === 'SUCCEEDED' && (report.output === undefined || report.output === null))
    throw invalid('output is required for SUCCEEDED')
  if (report.output !== undefined && JSON.stringify(report.output).length > OUTPUT_MAX)
    throw invalid('output must not be larger than 512 KiB')
  const checked = await checkReport(schemas, agent, { run, report })
  return db.transaction(async tx => {
    const locked = await lockRun(tx, runId)
    if (isRepeated(locked.run, checked)) return locked.run
    return applyReport(tx, locked, { report: checked, by: 'seller', agentId })
  })
}

async function requireRunOf(run: Run, { id }: Agent): Promise<Run> {
  if (run.agentId !== id) throw apiError(RUNS.RUN_NOT_FOUND)
  return run
}

/** Checks the output outside any transaction: the schema is that of the agent at the start of the run. */
export async function checkReport(
  schemas: Services['schemas'],
  { ownerId }: Pick<Agent, 'ownerId'>,
  { run, report }: { run: Pick<Run, 'outputSchema'>; report: Report },
): Promise<CheckedReport> {
  if (report.status !== 'SUCCEEDED' || !run.outputSchema) return report
  const task = { type: 'value', schema: run.outputSchema, value: report.output } as const
  const { ok, code, reason } = await schemas.check(ownerId, task)
  return ok ? report : { ...report, mismatch: { code: code.toUpperCase(), message: reason } }
}

/** Whether the run has ended by the same report. */
function isRepeated(run: Run, { status, output, error, mismatch }: CheckedReport): boolean {
  if (run.endedAt === null) return status === 'RUNNING' && run.takenAt !== null
  if (mismatch) return run.status === 'FAILED' && run.errorCode === mismatch.code
  if (run.status !== status) return false
  return status === 'SUCCEEDED'
    ? isEqualJson(run.output, output)
    : run.errorCode === 'AGENT_FAILED' && run.errorMessage === (error ?? null)
}

interface Reported {
  report: CheckedReport
  by: 'seller' | 'caller'
  agentId: string
}

/** Applies a report to a locked run. ApiError 409 where its state does not allow it. */
export async function applyReport(
  tx: Tx,
  locked: LockedRun,
  { report, by, agentId }: Reported,
): Promise<Run> {
  const { status, output, error, mismatch } = report
  if (status === 'RUNNING') return takeRun(tx, locked, { by, agentId })
  const who = { by, actorId: agentId }
  if (mismatch) return endRun(tx, locked, { ...who, event: 'fail', error: mismatch })
  return status === 'SUCCEEDED'
    ? endRun(tx, locked, { ...who, event: 'succeed', output })
    : endRun(tx, locked, {
        ...who,
        event: 'fail',
        output: output ?? null,
        error: { code: 'AGENT_FAILED', message: error ?? null },
      })
}

/** The agent has the run and reports later: nobody calls its endpoint any more. */
export async function takeRun(
  tx: Tx,
  { run, deal }: LockedRun,
  { by, agentId }: Omit<Reported, 'report'>,
): Promise<Run> {
  const set = { callAt: null, takenAt: run.takenAt ?? tx.now, deadlineAt: after(tx.now, WORK_TIME) }
  if (deal && run.takenAt === null) runDeals.startRunDeal(tx, deal, agentId)
  if (run.status !== 'RUNNING')
    return transition(tx, runMachine, run, {
      event: 'start',
      by,
      actorId: agentId,
      set: { ...set, startedAt: tx.now },
    })
  await tx.run(statements.updateRun(run.id, { ...set, updatedAt: tx.now }))
  return { ...run, ...set }
}

/** Whether two JSON values are equal, whatever the order of their fields. */
function isEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    Array.isArray(one) === Array.isArray(other) &&
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isEqualJson(value, right.get(name)))
  )
}
