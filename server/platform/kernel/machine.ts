import type { Tx } from './db.ts'
import { COMMON, apiError } from './errors.ts'
import { newId } from './id.ts'
import { column, identifier, joined, json, part, sql, type SqlPart } from './sql.ts'

/** One allowed transition: `event`, triggered by one of `by`, changes the state from one of `from` to `to`. */
export interface Edge<State extends string, Event extends string, Trigger extends string> {
  from: readonly State[]
  event: Event
  by: readonly Trigger[]
  to: State
}

/** A state machine is a table of edges over the `status` column of one database table. */
export interface Machine<State extends string, Event extends string, Trigger extends string> {
  name: string
  table: string
  states: readonly State[]
  terminal: readonly State[]
  /** Triggers other than people: they alone must lead from every state to a terminal one. */
  timers: readonly Trigger[]
  edges: readonly Edge<State, Event, Trigger>[]
}

export interface Transition<Event extends string, Trigger extends string> {
  event: Event
  by: Trigger
  /** Trigger in the history: an account or agent id, null for a timer. */
  actorId?: string | null
  /** Columns that the new state ties to itself (deadlines, timestamps). The names come from code, never from a request. */
  set?: Record<string, unknown>
  /** Stored in the history row; shown in timelines, so nothing private. */
  details?: Record<string, unknown>
  /** The target, where one event has edges to several states from the same one. */
  to?: string
}

export function findEdge<S extends string, E extends string, A extends string>(
  machine: Machine<S, E, A>,
  state: S,
  change: { event: E; by: A; to?: string },
): Edge<S, E, A> | undefined {
  return machine.edges.find(
    edge =>
      edge.event === change.event &&
      edge.from.includes(state) &&
      edge.by.includes(change.by) &&
      (!change.to || edge.to === change.to),
  )
}

/** The events that `by` can trigger in `state`, in the order of the table. */
export function allowedEvents<S extends string, E extends string, A extends string>(
  machine: Machine<S, E, A>,
  state: S,
  by: readonly A[],
): E[] {
  const events = machine.edges
    .filter(edge => edge.from.includes(state) && edge.by.some(trigger => by.includes(trigger)))
    .map(edge => edge.event)
  return [...new Set(events)]
}

/** A line of the history of one row. */
export type HistoryLine = HistoryRow & { subjectId: string }

/** A transition that is decided and not written yet. */
export interface PlannedTransition<Row> {
  /** The row afterwards. */
  row: Row
  /** The fields that change. */
  set: Record<string, unknown>
  line: HistoryLine
}

/** Decides a transition and writes nothing. ApiError 409 `Cannot <event> while <STATUS>` where the table has no such edge. */
export function planTransition<
  Row extends { id: string; status: S },
  S extends string,
  E extends string,
  A extends string,
>(machine: Machine<S, E, A>, row: Row, change: Transition<E, A>, now: Date): PlannedTransition<Row> {
  const edge = findEdge(machine, row.status, change)
  if (!edge) throw refused(change.event, row.status)
  const set = { status: edge.to, updatedAt: now, ...change.set }
  const line: HistoryLine = {
    id: newId(),
    subjectId: row.id,
    event: change.event,
    fromStatus: row.status,
    toStatus: edge.to,
    actor: change.by,
    actorId: change.actorId ?? null,
    details: change.details ?? {},
    at: now,
  }
  return { row: { ...row, ...set }, set, line }
}

/** An insert of lines into the history of `table`. */
export const insertHistory = (table: string, lines: readonly HistoryLine[]): SqlPart => part`
  insert into ${identifier(`${table}_history`)} (id, subject_id, event, from_status, to_status, actor, actor_id, details, at)
  values ${joined(lines.map(valuesOf), ', ')}`

const valuesOf = (
  line: HistoryLine,
): SqlPart => part`(${line.id}::uuid, ${line.subjectId}::uuid, ${line.event}, ${line.fromStatus},
  ${line.toStatus}, ${line.actor}, ${line.actorId}::uuid, ${json(line.details)}::jsonb, ${line.at}::timestamptz)`

/**
 * The one way to change a `status` that is not part of a plan: moves the row and writes `<table>_history`, in one
 * statement, and returns the row as the database has it. ApiError 409 `Cannot <event> while <STATUS>` where the table has
 * no such edge, or where another caller changed the row first.
 */
export async function transition<
  Row extends { id: string; status: S },
  S extends string,
  E extends string,
  A extends string,
>(tx: Tx, machine: Machine<S, E, A>, row: Row, change: Transition<E, A>): Promise<Row> {
  const { set, line } = planTransition(machine, row, change, tx.now)
  const columns = Object.entries(set).map(([name, value]) => part`${column(name)} = ${value}`)
  const changed = await tx.maybe(sql<Row>`
    with changed as (
      update ${identifier(machine.table)} set ${joined(columns, ', ')}
      where id = ${row.id} and status = ${row.status} returning *
    ), recorded as (
      insert into ${identifier(`${machine.table}_history`)} (id, subject_id, event, from_status, to_status, actor, actor_id, details, at)
      select ${line.id}, id, ${line.event}, ${line.fromStatus}, ${line.toStatus}, ${line.actor}, ${line.actorId}::uuid,
        ${json(line.details)}::jsonb, ${line.at} from changed
    )
    select * from changed`)
  if (!changed) throw refused(change.event, row.status, 'it has changed: read it again')
  return changed
}

const refused = (event: string, status: string, hint?: string) =>
  apiError(
    { ...COMMON.STATE_CONFLICT, message: `Cannot ${event.replaceAll('_', ' ')} while ${status}` },
    { hint, details: { status } },
  )

export interface HistoryRow {
  id: string
  event: string
  fromStatus: string
  toStatus: string
  actor: string
  actorId: string | null
  details: Record<string, unknown>
  at: Date
}

/** The transitions of one row, the oldest first. Ordered by id: `at` is the begin of a transaction that may have waited for the row. */
export const historyOf = (table: string, subjectId: string) => sql<HistoryRow>`
  select id, event, from_status, to_status, actor, actor_id, details, at
  from ${identifier(`${table}_history`)} where subject_id = ${subjectId} order by id`

/** States from which timers alone reach no terminal state: must be empty, or listed with their reason. */
export function strandedStates<S extends string, E extends string, A extends string>(
  machine: Machine<S, E, A>,
): S[] {
  const safe = new Set<S>(machine.terminal)
  for (let grew = true; grew;) {
    grew = false
    for (const edge of machine.edges) {
      if (!safe.has(edge.to) || !edge.by.some(trigger => machine.timers.includes(trigger))) continue
      for (const state of edge.from)
        if (!safe.has(state)) {
          safe.add(state)
          grew = true
        }
    }
  }
  return machine.states.filter(state => !safe.has(state))
}
