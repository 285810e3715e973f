import type { Page } from '#platform/http/schema'
import { part, sql } from '#platform/kernel/sql'
import type { RunStatus } from './runs/run-machine.ts'
import type { SuiteId } from './suites/suites.ts'

export type Role = 'subject' | 'baseline'
export type ParticipantStatus = 'PENDING' | 'RUNNING' | 'PASSED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'

export interface Run {
  id: string
  status: RunStatus
  suite: SuiteId
  suiteVersion: string
  creatorId: string
  deadlineAt: Date | null
  /** Percent, the average of the subjects. */
  score: number | null
  abortReason: string | null
  startedAt: Date | null
  finishedAt: Date | null
  createdAt: Date
}

export interface Participant {
  id: string
  runId: string
  agentId: string
  role: Role
  seed: string
  status: ParticipantStatus
  dueAt: Date | null
  score: number | null
  certificateId: string | null
  expiresAt: Date | null
  finishedAt: Date | null
}

export interface Result {
  participantId: string
  task: number
  kind: string
  /** Null if the task was passed. */
  reason: string | null
  durationMs: number
}

export const insertRun = (
  run: Pick<Run, 'id' | 'suite' | 'suiteVersion' | 'creatorId' | 'deadlineAt' | 'createdAt'>,
) => sql<Run>`
  insert into certification_run (id, status, suite, suite_version, creator_id, deadline_at, created_at, updated_at)
  values (${run.id}, 'OPEN', ${run.suite}, ${run.suiteVersion}, ${run.creatorId}, ${run.deadlineAt}, ${run.createdAt}, ${run.createdAt})
  returning *`

export const runById = (id: string) => sql<Run>`select * from certification_run where id = ${id}`
export const lockRun = (id: string) => sql<Run>`select * from certification_run where id = ${id} for update`

export const runsOf = (creatorId: string, { limit, offset }: Page) => sql<Run>`
  select * from certification_run where creator_id = ${creatorId} order by id desc limit ${limit} offset ${offset}`
export const countRunsOf = (creatorId: string, cap: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from certification_run where creator_id = ${creatorId} limit ${cap}) capped`

/** Runs of an account that take up the service now. */
export const runsInProgress = (creatorId: string) => sql<{ counted: number }>`
  select count(*)::int as counted from certification_run where creator_id = ${creatorId} and status in ('QUEUED', 'RUNNING')`

/** Runs of an account start one after the other, so that together they stay within its limit. */
export const lockStartsOf = (creatorId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`certification ${creatorId}`}, 0))`

/** No row if the agent participates already. */
export const insertParticipant = (
  row: Pick<Participant, 'id' | 'runId' | 'agentId' | 'role' | 'seed'>,
) => sql`
  insert into certification_participant (id, run_id, agent_id, role, seed, status)
  values (${row.id}, ${row.runId}, ${row.agentId}, ${row.role}, ${row.seed}, 'PENDING')
  on conflict (run_id, agent_id) do nothing`

export const participantsOf = (runIds: readonly string[]) => sql<Participant>`
  select * from certification_participant where run_id = any(${runIds}::uuid[]) order by id`
export const participantById = (id: string) =>
  sql<Participant>`select * from certification_participant where id = ${id}`
export const lockParticipant = (id: string) =>
  sql<Participant>`select * from certification_participant where id = ${id} for update`

export const makeDue = (runId: string, now: Date) =>
  sql`update certification_participant set due_at = ${now} where run_id = ${runId} and status = 'PENDING'`
export const takeUp = (id: string, until: Date) => sql`
  update certification_participant set status = 'RUNNING', due_at = ${until} where id = ${id} and status in ('PENDING', 'RUNNING')`
export const finishParticipant = (
  id: string,
  end: Pick<Participant, 'status' | 'score' | 'certificateId' | 'expiresAt'> & { now: Date },
) => sql`
  update certification_participant set status = ${end.status}, score = ${end.score}, certificate_id = ${end.certificateId},
    expires_at = ${end.expiresAt}, due_at = null, finished_at = ${end.now}
  where id = ${id}`
/** What has not ended when its run does. */
export const endUnfinished = (runId: string, status: 'TIMED_OUT' | 'ABORTED', now: Date) => sql<{
  agentId: string
}>`
  update certification_participant set status = ${status}, due_at = null, finished_at = ${now}
  where run_id = ${runId} and status in ('PENDING', 'RUNNING') returning agent_id`

/** Nothing if another process was quicker. */
export const insertResult = (result: Result & { now: Date }) => sql`
  insert into certification_result (participant_id, task, kind, reason, duration_ms, at)
  values (${result.participantId}, ${result.task}, ${result.kind}, ${result.reason}, ${result.durationMs}, ${result.now})
  on conflict (participant_id, task) do nothing`
export const resultsOf = (participantIds: readonly string[]) => sql<Result>`
  select participant_id, task, kind, reason, duration_ms from certification_result
  where participant_id = any(${participantIds}::uuid[]) order by participant_id, task`

export interface ValidCertificate {
  suite: SuiteId
  score: number
  verifiedAt: Date
  expiresAt: Date
  certificateId: string
  tasks: number
  passedTasks: number
}

/**
 * The certificates of an agent that are valid: the newest result of a suite counts, and a certificate expires. A run that ended
 * early after a task had failed counts as failed: otherwise only the runs that go well would be let to end.
 */
export const validCertificates = (agentId: string, now: Date) => sql<ValidCertificate>`
  select suite, score, verified_at, expires_at, certificate_id, tasks, passed_tasks from (
    select distinct on (r.suite) r.suite, p.id, p.score, p.finished_at as verified_at, p.certificate_id, p.expires_at
    from certification_participant p join certification_run r on r.id = p.run_id
    where p.agent_id = ${agentId} and (p.status in ('PASSED', 'FAILED') or (p.status in ('ABORTED', 'TIMED_OUT')
      and exists (select from certification_result where participant_id = p.id and reason is not null)))
    order by r.suite, p.finished_at desc, p.id desc) newest
    cross join lateral (select count(*)::int as tasks, count(*) filter (where reason is null)::int as passed_tasks
      from certification_result where participant_id = newest.id) results
  where expires_at > ${now} order by suite`

/** Runs of an account that have not ended. */
export const liveRunsOf = (creatorId: string) => sql<{ id: string }>`
  select id from certification_run where creator_id = ${creatorId} and deadline_at is not null order by id`

/** Whether the pages of a participant are served: while its run goes on. */
export const participantInProgress = (id: string) => sql<Participant>`
  select p.* from certification_participant p join certification_run r on r.id = p.run_id
  where p.id = ${id} and p.status = 'RUNNING' and r.status = 'RUNNING' and r.suite = 'browser-execution'`

export const eraseReasons = (creatorIds: readonly string[]) => sql`
  update certification_run set abort_reason = null where creator_id = any(${creatorIds}::uuid[]) and abort_reason is not null`

export const RUN_DEADLINE = part`deadline_at is not null`
export const PARTICIPANT_DUE = part`due_at is not null`
