import { json, sql } from '#platform/kernel/sql'
import type { EventType } from './types.ts'

export interface EventRow {
  id: bigint
  agentId: string
  subjectId: string
  sequence: number
  type: EventType
  data: object
  createdAt: Date
}

export interface NewEvent {
  agentId: string
  subjectId: string
  type: EventType
  data: object
  at: Date
}

/** One transaction at a time takes from the outbox and inserts events, so that their ids are in the order of the commits. */
export const lockEventLog = () => sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(727030) as locked`

export const insertEvents = (events: readonly NewEvent[]) => sql<EventRow>`
  insert into notifications_event (agent_id, subject_id, sequence, type, data, created_at)
  select e.agent_id, e.subject_id,
    coalesce((select max(sequence) from notifications_event p where p.agent_id = e.agent_id and p.subject_id = e.subject_id), 0)
      + row_number() over (partition by e.agent_id, e.subject_id order by e.place), e.type, e.data, e.created_at
  from jsonb_to_recordset(${json(events.map((event, place) => ({ ...rowOf(event), place })))}::jsonb)
    as e (place int, agent_id uuid, subject_id uuid, type text, data jsonb, created_at timestamptz)
  order by e.place
  returning id, agent_id, subject_id, sequence, type, data, created_at`

const rowOf = ({ agentId, subjectId, type, data, at }: NewEvent) => ({
  agent_id: agentId,
  subject_id: subjectId,
  type,
  data,
  created_at: at.toISOString(),
})

export const lastEventId = () => sql<{ id: bigint }>`
  select coalesce(max(id), 0)::bigint as id from notifications_event`

export interface Position {
  agentId: string
  /** Id of the last event that was sent. */
  after: bigint
}

/** The next events of several readers, each from its position; `place` is that of the reader. */
export const eventsAfter = (positions: readonly Position[], limit: number) => sql<
  EventRow & { place: number }
>`
  select s.place::int as place, e.id, e.agent_id, e.subject_id, e.sequence, e.type, e.data, e.created_at
  from unnest(${positions.map(each => each.agentId)}::uuid[], ${positions.map(each => each.after)}::bigint[])
    with ordinality as s (agent_id, after, place)
  cross join lateral (
    select * from notifications_event e where e.agent_id = s.agent_id and e.id > s.after order by e.id limit ${limit}
  ) e
  order by e.id`

export const deleteEventsBefore = (moment: Date, limit: number) => sql`
  delete from notifications_event where id in (
    select id from notifications_event where created_at < ${moment} order by created_at limit ${limit})`

export const deleteEventsOf = (agentIds: readonly string[]) => sql`
  delete from notifications_event where agent_id = any(${agentIds}::uuid[])`
