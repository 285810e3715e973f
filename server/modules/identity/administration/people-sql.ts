import type { Page } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import { joined, part, planAnew, sql, type SqlPart } from '#platform/kernel/sql'
import type { DayFigure } from '#overview'
import { ACCOUNT } from '../account/sql.ts'
import type { Account, Role, UserType } from '../account/account.ts'

export interface PeopleFilter {
  /** The beginning of an address or username, words of a name, or an id. */
  search?: string
  ids?: readonly string[]
  status?: Account['status']
  role?: Role
  userType?: UserType
}

const begin = (text: string): string => `${text.toLowerCase().replaceAll(/[\\%_]/g, found => `\\${found}`)}%`

// The last word may be unfinished.
const words = (text: string): SqlPart => part`(select case
  when numnode(query) > 0 then (query::text || ':*')::tsquery else query end
  from plainto_tsquery('simple', platform_search_words(${text})) query)`

// Each arm has an index. One without would read all accounts for every search.
const matching = (
  text: string,
): SqlPart => part`(lower(email) like ${begin(text)} or username like ${begin(text)}
  or to_tsvector('simple', platform_search_words(display_name)) @@ ${words(text)} or id = ${isId(text) ? text : null}::uuid)`

/** Deleted accounts are only listed by id or status. */
function conditions({ search, ids, status, role, userType }: PeopleFilter): SqlPart {
  const parts = [
    search ? matching(search) : undefined,
    ids && part`id = any(${ids}::uuid[])`,
    status ? part`status = ${status}` : ids ? undefined : part`status <> 'DELETED'`,
    role && part`role = ${role}`,
    userType && part`user_type = ${userType}`,
  ]
  return joined(
    parts.filter(each => each !== undefined),
    ' and ',
  )
}

export const people = (filter: PeopleFilter, { limit, offset }: Page) =>
  planAnew(sql<Account>`select ${ACCOUNT} from identity_account where ${conditions(filter)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`)

export const countPeople = (filter: PeopleFilter, atMost: number) =>
  planAnew(sql<{ counted: number }>`select count(*)::int as counted
    from (select from identity_account where ${conditions(filter)} limit ${atMost}) capped`)

export interface PersonRow extends Account {
  emailVerified: boolean
  mfaEnabled: boolean
  sessions: number
  lastSeenAt: Date | null
  apiKeys: number
}

export const personById = (id: string) => sql<PersonRow>`
  select ${ACCOUNT}, email_verified_at is not null as email_verified,
    exists (select from identity_mfa m where m.account_id = a.id and m.enabled_at is not null) as mfa_enabled,
    s.sessions, s.last_seen_at,
    (select count(*)::int from identity_service_account k where k.account_id = a.id and k.status = 'ACTIVE') as api_keys
  from identity_account a cross join lateral (
    select count(*)::int as sessions, max(last_used_at) as last_seen_at from identity_session
    where account_id = a.id and ended_at is null) s
  where a.id = ${id}`

export const signUpsByDay = (from: Date) => sql<DayFigure>`
  select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, 'signUps' as figure, count(*)::bigint as value
  from identity_account where created_at >= ${from} group by 1`

export const countPendingApprovals = () => sql<{ count: number }>`
  select count(*)::int as count from identity_approval where status = 'PENDING'`
