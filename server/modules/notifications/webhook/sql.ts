import type { Page } from '#platform/http/schema'
import { TOTAL_CAP } from '#platform/http/schema'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import type { EventRow } from '../events/sql.ts'
import { kindOf } from '../events/kinds.ts'
import { EVENT_NAMES, type EventType } from '../events/types.ts'
import type { DeliveryStatus } from './delivery-machine.ts'

export interface EndpointRow {
  agentId: string
  url: string
  events: EventType[] | null
  status: 'ENABLED' | 'DISABLED'
  /** Its last attempt failed. */
  failing: boolean
  lastSuccessAt: Date | null
  disabledAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface DeliveryRow {
  id: string
  eventId: bigint
  agentId: string
  subjectId: string
  status: DeliveryStatus
  attempts: number
  nextAttemptAt: Date | null
  leasedUntil: Date | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const endpointOf = (agentId: string) =>
  sql<EndpointRow>`select * from notifications_endpoint where agent_id = ${agentId}`
export const lockEndpoint = (agentId: string) =>
  sql<EndpointRow>`select * from notifications_endpoint where agent_id = ${agentId} for update`

export const setEndpoint = (
  { agentId, url, events, setBy }: Pick<EndpointRow, 'agentId' | 'url' | 'events'> & { setBy: string },
  now: Date,
) => sql<EndpointRow>`
  insert into notifications_endpoint (agent_id, url, events, status, set_by, created_at, updated_at)
  values (${agentId}, ${url}, ${events}, 'ENABLED', ${setBy}, ${now}, ${now})
  on conflict (agent_id) do update set url = excluded.url, events = excluded.events, status = 'ENABLED',
    failing = false, disabled_at = null, set_by = excluded.set_by, updated_at = excluded.updated_at
  returning *`

export const deleteEndpoint = (agentId: string) =>
  sql`delete from notifications_endpoint where agent_id = ${agentId}`
/** One that another account than `setBy` set. */
export const deleteForeignEndpoint = (agentId: string, setBy: string) =>
  sql`delete from notifications_endpoint where agent_id = ${agentId} and set_by is distinct from ${setBy}::uuid`
export const deleteEndpointsOfOwner = (ownerId: string) => sql<{ agentId: string }>`
  delete from notifications_endpoint where agent_id in (select id from agents_agent where owner_id = ${ownerId})
  returning agent_id`
export const deleteEndpointsOf = (agentIds: readonly string[]) =>
  sql`delete from notifications_endpoint where agent_id = any(${agentIds}::uuid[])`
export const disableEndpoint = (agentId: string, now: Date) => sql`
  update notifications_endpoint set status = 'DISABLED', disabled_at = ${now}, updated_at = ${now}
  where agent_id = ${agentId}`
export const recordSuccess = (agentId: string, now: Date) => sql`
  update notifications_endpoint set last_success_at = ${now}, failing = false where agent_id = ${agentId}`
export const recordFailure = (agentId: string) =>
  sql`update notifications_endpoint set failing = true where agent_id = ${agentId} and not failing`

const KIND_OF_TYPES = EVENT_NAMES.map(kindOf)

/**
 * A delivery of each event whose agent has an endpoint for its type, unless its owner wants none of the kind there. An
 * endpoint that is being deleted or disabled is waited for: what ends it cancels the deliveries that it sees.
 */
export const insertDeliveries = (eventIds: readonly bigint[], now: Date) => sql`
  insert into notifications_delivery (id, event_id, agent_id, subject_id, status, next_attempt_at, created_at, updated_at)
  select gen_random_uuid(), v.id, v.agent_id, v.subject_id, 'PENDING', ${now}, ${now}, ${now}
  from notifications_event v join notifications_endpoint e on e.agent_id = v.agent_id
  join agents_agent a on a.id = v.agent_id
  where v.id = any(${eventIds}::bigint[]) and e.status = 'ENABLED' and (e.events is null or v.type = any(e.events))
    and not exists (select from notifications_choice c
      join unnest(${EVENT_NAMES}::text[], ${KIND_OF_TYPES}::text[]) k (type, kind) on k.kind = c.kind
      where c.account_id = a.owner_id and c.channel = 'webhook' and not c.enabled and k.type = v.type)
  for share of e`

export const insertReplay = (id: string, of: DeliveryRow, now: Date) => sql<DeliveryRow>`
  insert into notifications_delivery (id, event_id, agent_id, subject_id, status, next_attempt_at, created_at, updated_at)
  values (${id}, ${of.eventId}, ${of.agentId}, ${of.subjectId}, 'PENDING', ${now}, ${now}, ${now}) returning *`

export const deliveryById = (id: string, agentId: string) => sql<DeliveryRow>`
  select * from notifications_delivery where id = ${id} and agent_id = ${agentId}`
export const lockDelivery = (id: string) =>
  sql<DeliveryRow>`select * from notifications_delivery where id = ${id} for update`

export interface Claim {
  now: Date
  real: Date
  leasedUntil: Date
  /** How many deliveries are under way, by agent. */
  running: ReadonlyMap<string, number>
  perAgent: number
  limit: number
  /** How many of them may be to failing endpoints. */
  failingLimit: number
}

export type ClaimedDelivery = Pick<DeliveryRow, 'id' | 'agentId' | 'attempts'> & {
  url: string
  failing: boolean
  event: EventRow
}

const isFree = (real: Date): SqlPart => part`(leased_until is null or leased_until <= ${real})`

/**
 * Leases deliveries that are due: of each deal the first that is open, of each agent at most `perAgent` with those under
 * way, and one where its endpoint is failing. Agents take turns, so that many events of one do not hold up the others. Steps
 * from agent to agent, and reads no more of what waits for one than it may get.
 */
export const claimDeliveries = (claim: Claim) => sql<
  Pick<ClaimedDelivery, 'id' | 'agentId' | 'attempts' | 'url' | 'failing'> &
    Omit<EventRow, 'id' | 'agentId'> & { eventId: bigint }
>`
  with recursive waiting (agent_id) as (
    (select agent_id from notifications_delivery where status = 'PENDING' order by agent_id limit 1)
    union all
    select (select d.agent_id from notifications_delivery d where d.status = 'PENDING' and d.agent_id > w.agent_id
      order by d.agent_id limit 1) from waiting w where w.agent_id is not null
  ), due as (
    select p.id, p.next_attempt_at, e.failing, coalesce(r.running, 0) + p.number as place
    from waiting w join notifications_endpoint e on e.agent_id = w.agent_id and e.status = 'ENABLED'
      left join unnest(${[...claim.running.keys()]}::uuid[], ${[...claim.running.values()]}::int[]) as r (agent_id, running)
        on r.agent_id = w.agent_id
      cross join lateral (
        select h.*, row_number() over (order by h.next_attempt_at, h.event_id) as number from (
          select p.id, p.next_attempt_at, p.event_id from notifications_delivery p
          where p.agent_id = w.agent_id and p.status = 'PENDING' and p.next_attempt_at <= ${claim.now} and ${isFree(claim.real)}
            and p.event_id <= (select f.event_id from notifications_delivery f where f.agent_id = p.agent_id
              and f.subject_id = p.subject_id and f.status = 'PENDING' order by f.event_id limit 1)
          order by p.next_attempt_at, p.event_id limit ${claim.perAgent}) h) p
  ), turns as (
    select *, row_number() over (partition by failing order by place, next_attempt_at) as turn from due
    where place <= case when failing then 1 else ${claim.perAgent} end
  ), free as (
    select id from notifications_delivery
    where id in (select id from turns where not failing or turn <= ${claim.failingLimit}
        order by place, next_attempt_at limit ${claim.limit})
      and status = 'PENDING' and ${isFree(claim.real)}
    for update skip locked
  ), claimed as (
    update notifications_delivery d set leased_until = ${claim.leasedUntil} from free where d.id = free.id returning d.*
  )
  select c.id, c.agent_id, c.attempts, e.url, e.failing, v.id as event_id, v.subject_id, v.sequence, v.type, v.data, v.created_at
  from claimed c join notifications_endpoint e on e.agent_id = c.agent_id join notifications_event v on v.id = c.event_id`

/** What waits for an endpoint is due, and has all its attempts. */
export const restartDeliveries = (agentId: string, now: Date) => sql`
  update notifications_delivery set attempts = 0, next_attempt_at = ${now}, updated_at = ${now}
  where agent_id = ${agentId} and status = 'PENDING'`

/** Cancels what waits for an endpoint. */
export const cancelDeliveries = (
  agentId: string,
  by: { actor: string; actorId: string | null },
  now: Date,
) => sql`
  with changed as (
    update notifications_delivery set status = 'CANCELLED', next_attempt_at = null, leased_until = null, ended_at = ${now},
      updated_at = ${now}
    where agent_id = ${agentId} and status = 'PENDING' returning id
  )
  insert into notifications_delivery_history (id, subject_id, event, from_status, to_status, actor, actor_id, details, at)
  select gen_random_uuid(), id, 'cancel', 'PENDING', 'CANCELLED', ${by.actor}, ${by.actorId}::uuid, '{}', ${now}::timestamptz
  from changed`

export type ListedDelivery = DeliveryRow & {
  type: EventType
  attemptedAt: Date | null
  attempt: { status?: number; error?: string; code?: string } | null
}

const listed = part`select d.*, v.type, h.at as attempted_at, h.details as attempt
  from notifications_delivery d join notifications_event v on v.id = d.event_id
  left join lateral (select at, details from notifications_delivery_history h
    where h.subject_id = d.id and h.event <> 'cancel' order by at desc, id desc limit 1) h on true`

const inState = (status: DeliveryStatus | undefined) =>
  status === undefined ? part`` : part`and d.status = ${status}`

export const listDeliveries = (
  agentId: string,
  status: DeliveryStatus | undefined,
  { limit, offset }: Page,
) => sql<ListedDelivery>`
  ${listed} where d.agent_id = ${agentId} ${inState(status)} order by d.event_id desc, d.created_at desc, d.id limit ${limit} offset ${offset}`

export const listedDelivery = (id: string) => sql<ListedDelivery>`${listed} where d.id = ${id}`

export const countDeliveries = (agentId: string, status?: DeliveryStatus) => sql<{ counted: number }>`
  select count(*)::int as counted from (
    select from notifications_delivery d where d.agent_id = ${agentId} ${inState(status)} limit ${TOTAL_CAP + 1}) seen`
