import { agentSummary, type AgentSummary } from '#agents'
import { json, joined, part, sql, type SqlPart } from '#platform/kernel/sql'
import type { RequestStatus } from './machine.ts'

export interface RequestRow {
  id: string
  status: RequestStatus
  requesterAccountId: string
  responderAccountId: string | null
  requesterAgentId: string
  responderAgentId: string
  payload: unknown
  counterPayload: unknown
  expiresAt: Date | null
  respondedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

type Party = Pick<AgentSummary, 'id' | 'slug' | 'name'> & { trust_tier: AgentSummary['trustTier'] }
export type ListedRequest = RequestRow & { requester: Party; responder: Party }

export const insertRequest = (row: RequestRow) => sql`
  insert into a2a_request (id, status, requester_account_id, requester_agent_id, responder_agent_id, payload, expires_at,
    created_at, updated_at)
  values (${row.id}, ${row.status}, ${row.requesterAccountId}, ${row.requesterAgentId}, ${row.responderAgentId},
    ${json(row.payload)}::jsonb, ${row.expiresAt}, ${row.createdAt}, ${row.updatedAt})`

export const lockRequest = (id: string) =>
  sql<RequestRow>`select * from a2a_request where id = ${id} for update`

const listed = (where: SqlPart, end: SqlPart) => sql<ListedRequest>`
  select r.*, ${agentSummary(part`r.requester_agent_id`)} as requester, ${agentSummary(part`r.responder_agent_id`)} as responder
  from a2a_request r where ${where} ${end}`

export const listedById = (id: string) => listed(part`r.id = ${id}`, part``)

export interface RequestFilter {
  agentId: string
  role?: 'requester' | 'responder'
  status?: RequestStatus
}

function whereOf({ agentId, role, status }: RequestFilter): SqlPart {
  const asked = part`r.requester_agent_id = ${agentId}`
  const answers = part`r.responder_agent_id = ${agentId}`
  const side = role === 'requester' ? asked : role === 'responder' ? answers : part`(${asked} or ${answers})`
  return joined([side, ...(status ? [part`r.status = ${status}`] : [])], ' and ')
}

export const requestsOf = (filter: RequestFilter, { limit, offset }: { limit: number; offset: number }) =>
  listed(whereOf(filter), part`order by r.id desc limit ${limit} offset ${offset}`)

export const countRequestsOf = (filter: RequestFilter, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from a2a_request r where ${whereOf(filter)} limit ${atMost}) capped`

/** What waits for a response of the agent, in business time. */
export const waitingFor = (agentId: string, now: Date, limit: number) =>
  listed(
    part`r.responder_agent_id = ${agentId} and r.status = 'PENDING' and r.expires_at > ${now}`,
    part`order by r.id desc limit ${limit}`,
  )

/** Requests of an account, or to its agents, that wait for a response: locked. */
export const lockPendingOf = (accountId: string) => sql<RequestRow>`
  select r.* from a2a_request r where r.status = 'PENDING' and (r.requester_account_id = ${accountId}
    or r.responder_agent_id in (select id from agents_agent where owner_id = ${accountId})
    or r.requester_agent_id in (select id from agents_agent where owner_id = ${accountId}))
  order by r.id for update`

export const erasePayloadsOf = (accountId: string) => sql`
  update a2a_request set payload = null where requester_account_id = ${accountId} and payload is not null`
export const eraseCountersOf = (accountId: string) => sql`
  update a2a_request set counter_payload = null where responder_account_id = ${accountId} and counter_payload is not null`
