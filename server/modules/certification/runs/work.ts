import { agentById, agentKeys } from '#agents'
import { reevaluateCertifiedAgent } from '#trust'
import type { Dialer } from '#platform/adapters/egress/dialer'
import { after, MINUTE, SECOND, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { FairQueue, QueueFull } from '#platform/kernel/collections/fair-queue'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import type { Timer } from '#platform/kernel/background/timers'
import { perform, type Receiver } from '../exchange.ts'
import { pageAddress } from '../pages.ts'
import * as statements from '../sql.ts'
import type { Participant, Run } from '../sql.ts'
import { SUITES, tasksOf } from '../suites/suites.ts'
import type { Task } from '../suites/task.ts'
import { runMachine } from './run-machine.ts'

/** Longer than one task takes: after it another process may take up a participant. */
const LEASE = 3 * MINUTE
/** A participant that finds no place is taken up again after this time. */
const BUSY_PAUSE = 5 * SECOND
const PLACES = 8
const WAITING = 64

/** Sends the tasks of participants that are due, one account at a time in each place. */
export class Workers {
  readonly #services: Services
  readonly #dialer: Dialer
  readonly #queue = new FairQueue({ places: PLACES, perKey: 2, waiting: WAITING })
  readonly #closing = new AbortController()
  /** The participants that this process works on. */
  readonly #busy = new Set<string>()

  constructor(services: Services, dialer: Dialer) {
    this.#services = services
    this.#dialer = dialer
  }

  /** The timer of due participants: it claims one, and sends its tasks after the commit. */
  timer(): Timer {
    return {
      name: 'certification task due',
      table: 'certification_participant',
      column: 'due_at',
      where: statements.PARTICIPANT_DUE,
      run: (tx, id) => this.#claim(tx, id),
    }
  }

  /** Sends no further task. One that is under way is sent again after the next start. */
  async close(): Promise<void> {
    this.#closing.abort()
  }

  async #claim(tx: Tx, id: string): Promise<void> {
    const seen = await tx.one(statements.participantById(id))
    const run = await tx.one(statements.lockRun(seen.runId))
    const participant = await tx.one(statements.lockParticipant(id))
    if (!participant.dueAt || participant.dueAt > tx.now) return
    if (run.status === 'QUEUED') await transition(tx, runMachine, run, { event: 'begin', by: 'timer' })
    const isFull = this.#queue.size >= PLACES + WAITING
    await tx.run(statements.takeUp(id, after(tx.now, isFull ? BUSY_PAUSE : LEASE)))
    if (isFull) return
    tx.afterCommit(() => {
      if (!this.#busy.has(id)) void this.#start(id, run.creatorId)
    })
  }

  async #start(id: string, accountId: string): Promise<void> {
    this.#busy.add(id)
    try {
      await this.#queue.run(accountId, () => this.#work(id))
    } catch (err) {
      if (!(err instanceof QueueFull) && !this.#closing.signal.aborted)
        this.#services.log.error({ err, participant: id }, 'certification: the tasks were interrupted')
    } finally {
      this.#busy.delete(id)
    }
  }

  async #work(id: string): Promise<void> {
    const { db, secrets, clock } = this.#services
    for (;;) {
      const participant = await db.one(statements.participantById(id))
      const run = await db.one(statements.runById(participant.runId))
      const isOver = participant.status !== 'RUNNING' || run.status !== 'RUNNING'
      if (isOver || this.#closing.signal.aborted) return
      const tasks = tasksOf(run.suite, participant.seed, task => pageAddress(this.#services, id, task))
      const next = (await db.rows(statements.resultsOf([id]))).length
      const task = tasks[next]
      if (!task) return
      const agent = await agentById(db, participant.agentId)
      const [first, ...others] = await agentKeys.webhookSecrets.webhookSecretsOf(
        db,
        { secrets },
        participant.agentId,
        clock.now(),
      )
      const receiver =
        agent?.ap2Endpoint && first !== undefined
          ? {
              dialer: this.#dialer,
              endpoint: agent.ap2Endpoint,
              secrets: [first, ...others] as const,
              taskSeconds: SUITES[run.suite].taskSeconds,
            }
          : null
      const started = performance.now()
      const reason = await attempt(task, { run, index: next, receiver })
      const durationMs = Math.round(performance.now() - started)
      const result = { participantId: id, task: next, kind: task.kind, reason, durationMs }
      await db.transaction(tx => record(tx, { result, total: tasks.length }))
    }
  }
}

function attempt(
  task: Task,
  { run, index, receiver }: { run: Run; index: number; receiver: Receiver | null },
): Promise<string | null> | string {
  if (!receiver) return 'the agent has no endpoint or no webhook secret any more'
  return perform(task, { runId: run.id, suite: run.suite, task: index }, receiver)
}

/** Stores a result; with the last one the participant ends, and with the last participant the run. */
async function record(
  tx: Tx,
  { result, total }: { result: statements.Result; total: number },
): Promise<void> {
  const seen = await tx.one(statements.participantById(result.participantId))
  const run = await tx.one(statements.lockRun(seen.runId))
  const participant = await tx.one(statements.lockParticipant(seen.id))
  if (run.status !== 'RUNNING' || participant.status !== 'RUNNING') return
  await tx.run(statements.insertResult({ ...result, now: tx.now }))
  const results = await tx.rows(statements.resultsOf([participant.id]))
  if (results.length < total)
    return void (await tx.run(statements.takeUp(participant.id, after(tx.now, LEASE))))
  const score = Math.round((100 * results.filter(({ reason }) => reason === null).length) / total)
  const { passScore, validDays } = SUITES[run.suite]
  const passed = score >= passScore
  await tx.run(
    statements.finishParticipant(participant.id, {
      status: passed ? 'PASSED' : 'FAILED',
      score,
      certificateId: passed ? newId() : null,
      expiresAt: passed ? after(tx.now, validDays * DAY) : null,
      now: tx.now,
    }),
  )
  await reevaluateCertifiedAgent(tx, participant.agentId)
  await endIfDone(tx, run, await tx.rows(statements.participantsOf([run.id])))
}

/** The run passes if all its subjects did; a baseline is there for comparison. */
async function endIfDone(tx: Tx, run: Run, participants: readonly Participant[]): Promise<void> {
  if (participants.some(({ status }) => status === 'PENDING' || status === 'RUNNING')) return
  const subjects = participants.filter(({ role }) => role === 'subject')
  const deciding = subjects.length ? subjects : participants
  const passed = deciding.every(({ status }) => status === 'PASSED')
  const total = deciding.reduce((sum, { score }) => sum + (score ?? 0), 0)
  await transition(tx, runMachine, run, {
    event: passed ? 'pass' : 'fail',
    by: 'system',
    set: { score: Math.round(total / deciding.length), finishedAt: tx.now, deadlineAt: null },
  })
}
