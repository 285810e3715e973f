import { setTimeout as sleep } from 'node:timers/promises'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { newId, randomToken } from '#platform/kernel/id'
import { PROCESSOR } from '../errors.ts'
import { NoAnswer } from '../port.ts'
import { Notifier, type Notice, type NotifierContext } from './notifier.ts'
import type { ObjectKind, ProcessorObject, SandboxMovement, TaskKind } from './objects.ts'
import {
  insertMovement,
  insertOutage,
  insertTask,
  lockObject,
  takeOutage,
  type EventRow,
  type OutageKind,
} from './sql.ts'

export interface SandboxContext extends NotifierContext {
  /** Public address of the hosted pages. */
  publicUrl: string
}

/** What calls of the processor meet: `not_reached` does nothing, `answer_lost` does what was asked; neither answers. */
export interface OutageOrder {
  kind: OutageKind
  /** How many calls. */
  count: number
  /** How long a call waits before its connection breaks. */
  delayMs?: number
  /** Whether nothing is ever notified of what they did. */
  silent?: boolean
}

/** Writes an event of the change that is made. */
export type Emit = (notice: Notice) => Promise<void>

/** What the parts of the simulated processor have in common: calls that may fail, and changes with their events. */
export class Wire {
  readonly context: SandboxContext
  readonly notifier: Notifier

  constructor(context: SandboxContext) {
    this.context = context
    this.notifier = new Notifier(context)
  }

  /** A call as it comes over the wire: what it does, or nothing, and then perhaps no answer. */
  async call<T>(work: (silent: boolean) => Promise<T>): Promise<T> {
    const outage = await this.context.db.maybe(takeOutage())
    if (!outage) return work(false)
    if (outage.kind === 'answer_lost') await work(outage.silent).catch(() => undefined)
    await sleep(outage.delayMs, undefined, { ref: false })
    throw new NoAnswer(`sandbox processor: ${outage.kind}`)
  }

  /** A call that changes something; the first attempt to send its events starts when it is committed. */
  change<T>(work: (tx: Tx, emit: Emit) => Promise<T>): Promise<T> {
    return this.call(silent =>
      this.context.db.transaction(tx => work(tx, silent ? async () => undefined : this.emitter(tx))),
    )
  }

  /** A change by somebody at the processor: returns when its events were sent once, in order. */
  async changeAndSend<T>(work: (tx: Tx, emit: Emit) => Promise<T>): Promise<T> {
    const { result, events } = await this.context.db.transaction(async tx => {
      const events: EventRow[] = []
      const emit: Emit = async notice => void events.push(await this.notifier.write(tx, notice))
      return { result: await work(tx, emit), events }
    })
    for (const event of events) await this.notifier.send(event)
    return result
  }

  emitter(tx: Tx): Emit {
    return async notice => {
      const event = await this.notifier.write(tx, notice)
      tx.afterCommit(() => this.notifier.sendSoon(event))
    }
  }

  /** Lets the next calls go wrong, for every instance and over a restart. */
  async break({ kind, count, delayMs = 0, silent = false }: OutageOrder): Promise<void> {
    await this.context.db.run(insertOutage({ id: newId(), kind, count, delayMs, silent }))
  }

  /** An object for a change. ApiError 404. */
  async lock<Kind extends ObjectKind>(tx: Tx, kind: Kind, id: string): Promise<ProcessorObject<Kind>> {
    const found = await tx.maybe(lockObject(kind, id))
    if (!found) throw apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, { hint: `there is no ${kind} ${id}` })
    return found
  }

  /** Lets something happen to an object by itself, `ms` from now (business time). */
  async schedule(tx: Tx, objectId: string, task: { kind: TaskKind; ms: number }): Promise<void> {
    await tx.run(insertTask({ id: newId(), objectId, kind: task.kind, dueAt: after(tx.now, task.ms) }))
  }

  async move(tx: Tx, movement: Pick<SandboxMovement, 'kind' | 'sourceId' | 'ourId' | 'cents' | 'feeCents'>) {
    await tx.run(insertMovement({ ...movement, id: `txn_${randomToken(18)}`, currency: 'USD', at: tx.now }))
  }
}
