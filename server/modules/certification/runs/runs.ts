import { randomBytes } from 'node:crypto'
import { agentKeys, requireAgent, type Agent } from '#agents'
import { reevaluateCertifiedAgent } from '#trust'
import { isAdmin, requireUnboundCredential, type RequestContext } from '#platform/http/principal'
import { audit } from '#platform/kernel/audit'
import { after, DAY, SECOND } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { CERTIFICATION } from '../errors.ts'
import * as statements from '../sql.ts'
import type { Role, Run } from '../sql.ts'
import { SUITES, type SuiteId } from '../suites/suites.ts'
import { runMachine } from './run-machine.ts'

/** An OPEN run that nobody starts is aborted after this time. */
const OPEN_FOR = DAY
export const MAX_PARTICIPANTS = 10
const MAX_IN_PROGRESS = 3
const STARTS_PER_DAY = 50
const DAY_SECONDS = 86_400

type Sealing = Pick<Services, 'secrets'>
interface Entry {
  agentId: string
  role?: Role
}
export interface NewRun {
  suite: SuiteId
  agentId?: string
  participants?: Entry[]
}

/** Creates an OPEN run with agents that the caller operates. */
export async function createRun(
  tx: Tx,
  services: Sealing,
  { ctx, input }: { ctx: RequestContext; input: NewRun },
): Promise<Run> {
  requireUnboundCredential(ctx)
  const run = await tx.one(
    statements.insertRun({
      id: newId(),
      suite: input.suite,
      suiteVersion: SUITES[input.suite].version,
      creatorId: ctx.principal.accountId,
      deadlineAt: after(tx.now, OPEN_FOR),
      createdAt: tx.now,
    }),
  )
  const entries = [
    ...(input.agentId === undefined ? [] : [{ agentId: input.agentId }]),
    ...(input.participants ?? []),
  ]
  for (const entry of entries) await addTo(tx, services, { ctx, run, entry })
  return run
}

/** Adds an agent to an OPEN run of the caller; 409 in any other state, or if it participates already. */
export async function addParticipant(
  tx: Tx,
  services: Sealing,
  { ctx, runId, entry }: { ctx: RequestContext; runId: string; entry: Entry },
): Promise<Run> {
  const run = await lockOwnRun(tx, ctx, runId)
  await addTo(tx, services, { ctx, run, entry })
  return run
}

async function addTo(
  tx: Tx,
  services: Sealing,
  { ctx, run, entry }: { ctx: RequestContext; run: Run; entry: Entry },
): Promise<void> {
  const agent = await requireAgent(tx, ctx, entry.agentId)
  if (run.status !== 'OPEN')
    throw apiError(
      { ...COMMON.STATE_CONFLICT, message: `Cannot add participant while ${run.status}` },
      { hint: 'Participants are added while the run is OPEN: create another run' },
    )
  await requireReachable(tx, services, agent)
  const present = await tx.rows(statements.participantsOf([run.id]))
  if (present.length >= MAX_PARTICIPANTS)
    throw apiError(CERTIFICATION.CERTIFICATION_TOO_MANY, {
      hint: `A run has at most ${MAX_PARTICIPANTS} participants`,
    })
  const row = {
    id: newId(),
    runId: run.id,
    agentId: agent.id,
    role: entry.role ?? 'subject',
    seed: newSeed(),
  }
  if (!(await tx.run(statements.insertParticipant(row))))
    throw apiError(CERTIFICATION.CERTIFICATION_PARTICIPANT_TWICE)
}

const newSeed = (): string => randomBytes(16).toString('hex')

/** Tasks are sent to the endpoint of the agent and signed with its secret. */
async function requireReachable(tx: Tx, services: Sealing, agent: Agent): Promise<void> {
  if (!agent.ap2Endpoint)
    throw apiError(CERTIFICATION.AGENT_ENDPOINT_MISSING, {
      hint: 'Set `ap2Endpoint` with PATCH /agents/{id}: the tasks are sent to it',
    })
  if (!(await agentKeys.webhookSecrets.webhookSecretsOf(tx, services, agent.id, tx.now)).length)
    throw apiError(CERTIFICATION.WEBHOOK_SECRET_MISSING, {
      hint: 'Make one with PUT /agents/{id}/webhook: the tasks are signed with it',
    })
}

/** Starts an OPEN run: its participants get their tasks. */
export async function startRun(
  tx: Tx,
  { limits }: Pick<Services, 'limits'>,
  { ctx, runId }: { ctx: RequestContext; runId: string },
): Promise<Run> {
  const { accountId } = ctx.principal
  await tx.run(statements.lockStartsOf(accountId))
  const run = await lockOwnRun(tx, ctx, runId)
  const moved = await transition(tx, runMachine, run, {
    event: 'start',
    by: 'creator',
    actorId: accountId,
    set: { startedAt: tx.now, deadlineAt: after(tx.now, SUITES[run.suite].runSeconds * SECOND) },
  })
  const { counted } = await tx.one(statements.runsInProgress(accountId))
  if (counted > MAX_IN_PROGRESS)
    throw apiError(CERTIFICATION.CERTIFICATION_TOO_MANY, {
      hint: `At most ${MAX_IN_PROGRESS} runs of an account are in progress: wait for one to end`,
    })
  if (!(await tx.run(statements.makeDue(runId, tx.now))))
    throw apiError(CERTIFICATION.CERTIFICATION_WITHOUT_PARTICIPANT, {
      hint: 'Add an agent with POST /certification-runs/{runId}/participants',
    })
  await limits.requireQuota(`certification:${accountId}`, STARTS_PER_DAY, DAY_SECONDS)
  return moved
}

/** Ends a run that has not ended, for its creator or an admin. */
export async function abortRun(
  tx: Tx,
  ctx: RequestContext,
  { runId, reason }: { runId: string; reason?: string },
): Promise<Run> {
  requireUnboundCredential(ctx)
  const run = await lockKnown(tx, runId)
  const isCreator = ctx.principal.accountId === run.creatorId
  if (!isCreator && !isAdmin(ctx.principal)) throw apiError(COMMON.FORBIDDEN, { hint: NOT_YOURS })
  const ended = await end(tx, run, {
    by: isCreator ? 'creator' : 'admin',
    actorId: ctx.principal.accountId,
    reason: reason ?? null,
  })
  if (!isCreator) await audit(tx, ctx, 'certification_run.aborted', { target: ['certification_run', runId] })
  return ended
}

const NOT_YOURS = 'The run was created by another account'

async function end(
  tx: Tx,
  run: Run,
  {
    reason,
    ...who
  }: { by: 'creator' | 'admin' | 'system' | 'timer'; actorId?: string; reason: string | null },
): Promise<Run> {
  const ended = await transition(tx, runMachine, run, {
    event: 'abort',
    ...who,
    set: { abortReason: reason, finishedAt: tx.now, deadlineAt: null },
  })
  await endParticipants(tx, run.id, 'ABORTED')
  return ended
}

/** What failed by then counts for the trust score of the agents. */
async function endParticipants(tx: Tx, runId: string, status: 'ABORTED' | 'TIMED_OUT'): Promise<void> {
  const agents = await tx.rows(statements.endUnfinished(runId, status, tx.now))
  for (const id of new Set(agents.map(({ agentId }) => agentId).sort()))
    await reevaluateCertifiedAgent(tx, id)
}

/** Ends the runs of an account that is deleted, and removes what its person wrote. */
export async function endRunsOf(tx: Tx, accountId: string): Promise<void> {
  for (const { id } of await tx.rows(statements.liveRunsOf(accountId))) {
    const run = await tx.one(statements.lockRun(id))
    if (run.deadlineAt) await end(tx, run, { by: 'system', reason: null })
  }
  await tx.run(statements.eraseReasons([accountId]))
}

/** Timer: a run that nobody started, or that is not finished in time. */
export async function endLateRun(tx: Tx, id: string): Promise<void> {
  const run = await tx.one(statements.lockRun(id))
  if (!run.deadlineAt || run.deadlineAt > tx.now) return
  if (run.status === 'OPEN') return void (await end(tx, run, { by: 'timer', reason: null }))
  await transition(tx, runMachine, run, {
    event: 'time_out',
    by: 'timer',
    set: { finishedAt: tx.now, deadlineAt: null },
  })
  await endParticipants(tx, id, 'TIMED_OUT')
}

async function lockOwnRun(tx: Tx, ctx: RequestContext, id: string): Promise<Run> {
  requireUnboundCredential(ctx)
  const run = await lockKnown(tx, id)
  if (run.creatorId !== ctx.principal.accountId) throw apiError(COMMON.FORBIDDEN, { hint: NOT_YOURS })
  return run
}

async function lockKnown(tx: Tx, id: string): Promise<Run> {
  const run = isId(id) ? await tx.maybe(statements.lockRun(id)) : undefined
  if (!run) throw apiError(CERTIFICATION.CERTIFICATION_RUN_NOT_FOUND)
  return run
}

export async function knownRun(q: Queryable, id: string): Promise<Run> {
  const run = isId(id) ? await q.maybe(statements.runById(id)) : undefined
  if (!run) throw apiError(CERTIFICATION.CERTIFICATION_RUN_NOT_FOUND)
  return run
}
