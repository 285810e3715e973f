import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { part, sql } from '#platform/kernel/sql'
import type { PartyEventRow } from '../events/party-sql.ts'
import type { EventType } from '../events/types.ts'

/** The events that an account sees in its inbox. */
export interface InboxFilter {
  accountId: string
  /** The account and the organizations that it runs. */
  partyIds: readonly string[]
  /** Types of the kinds that the account does not want here. */
  muted: readonly EventType[]
}

const readUpTo = (accountId: string) => part`
  coalesce((select read_up_to from notifications_inbox where account_id = ${accountId}), 0)`
/** The newest events that are shown, at most `limit` of each party: in the log of all, those of one may be far back. */
const newest = ({ partyIds, muted }: InboxFilter, limit: number) => part`unnest(${partyIds}::uuid[]) as p (id)
  cross join lateral (select * from notifications_party_event e
    where e.party_id = p.id and e.type <> all(${muted}::text[]) order by e.id desc limit ${limit}) e`

export const inboxPage = (filter: InboxFilter, { limit, offset }: Page) => sql<
  PartyEventRow & { isRead: boolean }
>`
  select e.id, e.type, e.data, e.created_at, e.id <= ${readUpTo(filter.accountId)} as is_read
  from ${newest(filter, limit + offset)} order by e.id desc limit ${limit} offset ${offset}`

export const inboxCounts = (filter: InboxFilter) => sql<{ counted: number; unread: number }>`
  select count(*)::int as counted, count(*) filter (where id > ${readUpTo(filter.accountId)})::int as unread
  from (select e.id from ${newest(filter, TOTAL_CAP + 1)} order by e.id desc limit ${TOTAL_CAP + 1}) e`

/** An older position changes nothing. */
export const setReadUpTo = (accountId: string, id: bigint, now: Date) => sql`
  insert into notifications_inbox (account_id, read_up_to, updated_at) values (${accountId}, ${id}, ${now})
  on conflict (account_id) do update
    set read_up_to = greatest(notifications_inbox.read_up_to, excluded.read_up_to), updated_at = excluded.updated_at`

export const deleteInbox = (accountId: string) =>
  sql`delete from notifications_inbox where account_id = ${accountId}`
