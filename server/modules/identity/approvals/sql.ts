import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { json, part, sql } from '#platform/kernel/sql'
import type { ApprovalStatus } from './approval-machine.ts'

/** A row of the table. */
export interface ApprovalRow {
  id: string
  kind: string
  payload: Record<string, string>
  status: ApprovalStatus
  requestedBy: string
  decidedBy: string | null
  decidedAt: Date | null
  reason: string | null
  expiresAt: Date
  createdAt: Date
}

const COLUMNS = part`id, kind, payload, status, requested_by, decided_by, decided_at, reason, expires_at, created_at`

export const insertApproval = (
  approval: Pick<ApprovalRow, 'id' | 'kind' | 'payload' | 'requestedBy' | 'expiresAt' | 'createdAt'>,
) => sql<ApprovalRow>`
  insert into identity_approval (id, kind, payload, status, requested_by, expires_at, created_at, updated_at)
  values (${approval.id}, ${approval.kind}, ${json(approval.payload)}::jsonb, 'PENDING', ${approval.requestedBy},
    ${approval.expiresAt}, ${approval.createdAt}, ${approval.createdAt})
  returning ${COLUMNS}`

export const approvalById = (id: string) =>
  sql<ApprovalRow>`select ${COLUMNS} from identity_approval where id = ${id}`

export const lockApproval = (id: string) =>
  sql<ApprovalRow>`select ${COLUMNS} from identity_approval where id = ${id} for no key update`

const having = (status: ApprovalStatus | undefined) =>
  status === undefined ? part`true` : part`status = ${status}`

export const approvals = (status: ApprovalStatus | undefined, { limit, offset }: Page) => sql<ApprovalRow>`
  select ${COLUMNS} from identity_approval where ${having(status)}
  order by created_at desc, id desc limit ${limit} offset ${offset}`

export const countApprovals = (status: ApprovalStatus | undefined) => sql<{ counted: number }>`
  select count(*)::int as counted
  from (select from identity_approval where ${having(status)} limit ${TOTAL_CAP + 1}) capped`

/**
 * The admins who may decide a request beside its requester: admins before the request was made. Of two admins one of whom
 * made the other an admin alone after `since`, neither decides for the other.
 */
export const independentAdmins = (id: string, since: Date) => sql<{ accountId: string }>`
  select a.id as account_id from identity_approval p join identity_account r on r.id = p.requested_by
    join identity_account a on a.role = 'ADMIN' and a.status = 'ACTIVE' and a.id <> r.id
  where p.id = ${id} and a.admin_since <= p.created_at
    and not coalesce(a.promoted_by = r.id and a.admin_since > ${since}, false)
    and not coalesce(r.promoted_by = a.id and r.admin_since > ${since}, false)`

/** When another account than the requester was suspended as an admin or lost the role last; null for never. */
export const lastRemovalOfOther = (requesterId: string) => sql<{ at: Date | null }>`
  select max(admin_removed_at) as at from identity_account
  where admin_removed_at is not null and id <> ${requesterId}`

/** Erases the texts of the order that an account requested, and the reason that it gave as the decider. */
export const eraseApprovalTexts = (accountId: string) => sql`
  update identity_approval set
    payload = case when requested_by = ${accountId} then payload - 'memo' - 'reason' - 'destination' else payload end,
    reason = case when decided_by = ${accountId} then null else reason end
  where requested_by = ${accountId} or decided_by = ${accountId}`

export const pendingOf = (accountId: string) =>
  sql<{
    id: string
  }>`select id from identity_approval where requested_by = ${accountId} and status = 'PENDING'`
