import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { json, part, sql } from '#platform/sql'
import type { ApprovalStatus } from '../approval-machine.ts'

/** A row as it stands in its table. */
export interface ApprovalRow {
  id: string
  kind: string
  payload: Record<string, string>
  status: ApprovalStatus
  requested_by: string
  decided_by: string | null
  decided_at: Date | null
  reason: string | null
  expires_at: Date
  created_at: Date
}

const COLUMNS = part`id, kind, payload, status, requested_by, decided_by, decided_at, reason, expires_at, created_at`

export const insertApproval = (
  approval: Pick<ApprovalRow, 'id' | 'kind' | 'payload' | 'requested_by' | 'expires_at' | 'created_at'>,
) => sql<ApprovalRow>`
  insert into identity_approval (id, kind, payload, status, requested_by, expires_at, created_at, updated_at)
  values (${approval.id}, ${approval.kind}, ${json(approval.payload)}::jsonb, 'PENDING', ${approval.requested_by},
    ${approval.expires_at}, ${approval.created_at}, ${approval.created_at})
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
