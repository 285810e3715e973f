import type { Queryable } from '#platform/kernel/db'
import { pageAnswer, pageOf, TOTAL_CAP } from '#platform/http/schema'
import { knownRun } from './runs/runs.ts'
import * as statements from './sql.ts'
import type { Participant, Result, Run } from './sql.ts'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null
const verdictOf = (status: string): boolean | null =>
  status === 'PASSED' ? true : status === 'FAILED' ? false : null

/** A run as everybody sees it, without the seeds that its tasks follow from. */
export const runView = async (q: Queryable, run: Run) => {
  const [view] = await runViews(q, [run])
  if (!view) throw new Error('no view')
  return view
}

export const readRun = async (q: Queryable, id: string) => runView(q, await knownRun(q, id))

export async function listRuns(q: Queryable, creatorId: string, query: { limit?: number; offset?: number }) {
  const page = pageOf(query)
  const runs = await q.rows(statements.runsOf(creatorId, page))
  const { counted } = await q.one(statements.countRunsOf(creatorId, TOTAL_CAP + 1))
  return pageAnswer(await runViews(q, runs), counted, page)
}

async function runViews(q: Queryable, runs: readonly Run[]) {
  const participants = await q.rows(statements.participantsOf(runs.map(({ id }) => id)))
  const results = await q.rows(statements.resultsOf(participants.map(({ id }) => id)))
  return runs.map(run =>
    view(
      run,
      participants.filter(({ runId }) => runId === run.id),
      results,
    ),
  )
}

function view(run: Run, participants: readonly Participant[], results: readonly Result[]) {
  const subjects = participants.filter(({ role }) => role === 'subject')
  const expiries = participants.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []))
  return {
    id: run.id,
    suite: run.suite,
    suiteVersion: run.suiteVersion,
    status: run.status,
    participants: participants.map(participant =>
      participantView(
        participant,
        results.filter(({ participantId }) => participantId === participant.id),
      ),
    ),
    score: run.score,
    passed: verdictOf(run.status),
    certificateId: subjects.length === 1 ? (subjects[0]?.certificateId ?? null) : null,
    abortReason: run.abortReason,
    startedAt: iso(run.startedAt),
    finishedAt: iso(run.finishedAt),
    expiresAt: expiries.length ? new Date(Math.min(...expiries)).toISOString() : null,
    createdAt: run.createdAt.toISOString(),
  }
}

const participantView = (
  { agentId, role, status, score, certificateId, expiresAt }: Participant,
  results: readonly Result[],
) => ({
  agentId,
  role,
  status,
  score,
  passed: verdictOf(status),
  certificateId,
  expiresAt: iso(expiresAt),
  results: results.map(({ task, kind, reason, durationMs }) => ({
    task,
    kind,
    passed: reason === null,
    reason,
    durationMs,
  })),
})
