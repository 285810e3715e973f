import { json, sql } from '#platform/kernel/sql'
import type { EventType } from './types.ts'

export interface PartyEventRow {
  id: bigint
  type: EventType
  data: object
  createdAt: Date
}

export interface NewPartyEvent {
  /** An account or an organization. */
  partyId: string
  type: EventType
  data: object
  at: Date
}

/** By the holder of the lock of the event log, like the events of agents. An account that was deleted gets none. */
export const insertPartyEvents = (events: readonly NewPartyEvent[]) => sql`
  insert into notifications_party_event (party_id, type, data, created_at)
  select party_id, type, data, created_at
  from jsonb_to_recordset(${json(events.map(rowOf))}::jsonb)
    as e (place int, party_id uuid, type text, data jsonb, created_at timestamptz)
  where not exists (select from identity_account a where a.id = e.party_id and a.status = 'DELETED')
  order by place`

const rowOf = ({ partyId, type, data, at }: NewPartyEvent, place: number) => ({
  place,
  party_id: partyId,
  type,
  data,
  created_at: at.toISOString(),
})

export const lastPartyEventId = () => sql<{ id: bigint }>`
  select coalesce(max(id), 0)::bigint as id from notifications_party_event`

export interface PartyPosition {
  partyIds: readonly string[]
  /** Id of the last event that was sent. */
  after: bigint
}

/** The next events of several readers, each from its position; `place` is that of the reader. */
export const partyEventsAfter = (positions: readonly PartyPosition[], limit: number) => sql<
  PartyEventRow & { place: number }
>`
  select s.place, e.id, e.type, e.data, e.created_at
  from jsonb_to_recordset(${json(
    positions.map(({ partyIds, after }, index) => ({
      place: index + 1,
      party_ids: partyIds,
      after: String(after),
    })),
  )}::jsonb) as s (place int, party_ids uuid[], after bigint)
  cross join lateral (
    select * from notifications_party_event e where e.party_id = any(s.party_ids) and e.id > s.after
    order by e.id limit ${limit}
  ) e
  order by e.id`

export const deletePartyEventsBefore = (moment: Date, limit: number) => sql`
  delete from notifications_party_event where id in (
    select id from notifications_party_event where created_at < ${moment} order by created_at limit ${limit})`

export const deletePartyEventsOf = (partyIds: readonly string[]) => sql`
  delete from notifications_party_event where party_id = any(${partyIds}::uuid[])`
