import type { Tx } from './db.ts'
import { COMMON, fault } from './fault.ts'
import { newId } from './id.ts'
import { identifier, joined, json, part, sql } from './sql.ts'

/** One allowed move: `event` by one of `by` takes a row from one of `from` to `to`. */
export interface Edge<State extends string, Event extends string, Actor extends string> {
  from: readonly State[]
  event: Event
  by: readonly Actor[]
  to: State
}

/** A state machine is a table of edges over the `status` column of one database table. */
export interface Machine<State extends string, Event extends string, Actor extends string> {
  name: string
  table: string
  states: readonly State[]
  terminal: readonly State[]
  /** Actors that are no person: they must bring every state to a terminal one by themselves. */
  timers: readonly Actor[]
  edges: readonly Edge<State, Event, Actor>[]
}

export interface Move<Event extends string, Actor extends string> {
  event: Event
  by: Actor
  /** Who did it, for the history: an account or agent id, null for a timer. */
  actorId?: string | null
  /** Columns that the new state ties to itself (deadlines, timestamps). Names are the program's own. */
  set?: Record<string, unknown>
  /** Kept in the history row; shown in timelines, so nothing private. */
  details?: Record<string, unknown>
  /** The target, where one event has edges to several states from the same one. */
  to?: string
}

export function findEdge<S extends string, E extends string, A extends string>(
  machine: Machine<S, E, A>, state: S, move: { event: E; by: A; to?: string },
): Edge<S, E, A> | undefined {
  return machine.edges.find(edge =>
    edge.event === move.event && edge.from.includes(state) && edge.by.includes(move.by) && (!move.to || edge.to === move.to))
}

/** The events that `by` may cause while in `state`, in the table's order. */
export function allowedEvents<S extends string, E extends string, A extends string>(machine: Machine<S, E, A>, state: S, by: readonly A[]): E[] {
  const events = machine.edges.filter(edge => edge.from.includes(state) && edge.by.some(actor => by.includes(actor))).map(edge => edge.event)
  return [...new Set(events)]
}

/**
 * The one way to change a `status`: moves the row and writes `<table>_history`, in one statement.
 * Fault 409 `Cannot <event> while <STATUS>` where the table has no such edge, or where another
 * caller moved the row first.
 */
export async function transition<Row extends { id: string; status: S }, S extends string, E extends string, A extends string>(
  tx: Tx, machine: Machine<S, E, A>, row: Row, move: Move<E, A>,
): Promise<Row> {
  const edge = findEdge(machine, row.status, move)
  if (!edge) throw refused(move.event, row.status)
  const columns = Object.entries(move.set ?? {}).map(([name, value]) => part`, ${identifier(name)} = ${value}`)
  const moved = await tx.maybe(sql<Row>`
    with moved as (
      update ${identifier(machine.table)} set status = ${edge.to}, updated_at = ${tx.now}${joined(columns, '', '')}
      where id = ${row.id} and status = ${row.status} returning *
    ), noted as (
      insert into ${identifier(`${machine.table}_history`)} (id, subject_id, event, from_status, to_status, actor, actor_id, details, at)
      select ${newId()}, id, ${move.event}, ${row.status}, ${edge.to}, ${move.by}, ${move.actorId ?? null}::uuid, ${json(move.details ?? {})}::jsonb, ${tx.now} from moved
    )
    select * from moved`)
  if (!moved) throw refused(move.event, row.status, 'it changed meanwhile, read it again')
  return moved
}

const refused = (event: string, status: string, hint?: string) =>
  fault({ ...COMMON.STATE_CONFLICT, message: `Cannot ${event.replaceAll('_', ' ')} while ${status}` }, { hint, details: { status } })

export interface HistoryRow {
  id: string
  event: string
  from_status: string
  to_status: string
  actor: string
  actor_id: string | null
  details: Record<string, unknown>
  at: Date
}

/** The moves of one row, oldest first: by id, for `at` is when a transaction began that may have waited for the row. */
export const historyOf = (table: string, subjectId: string) => sql<HistoryRow>`
  select id, event, from_status, to_status, actor, actor_id, details, at
  from ${identifier(`${table}_history`)} where subject_id = ${subjectId} order by id`

/** States from which timers alone reach no terminal state: must be empty, or listed with their reason. */
export function strandedStates<S extends string, E extends string, A extends string>(machine: Machine<S, E, A>): S[] {
  const safe = new Set<S>(machine.terminal)
  for (let grew = true; grew;) {
    grew = false
    for (const edge of machine.edges) {
      if (!safe.has(edge.to) || !edge.by.some(actor => machine.timers.includes(actor))) continue
      for (const state of edge.from) if (!safe.has(state)) { safe.add(state); grew = true }
    }
  }
  return machine.states.filter(state => !safe.has(state))
}
