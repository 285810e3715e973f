import { audit, SYSTEM, type Author } from '#platform/kernel/audit'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, type Page } from '#platform/http/schema'
import { publish } from '#platform/kernel/events'
import { isId, newId } from '#platform/kernel/id'
import { allowedEvents, transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { approvalMachine, type ApprovalStatus } from './approval-machine.ts'
import { IDENTITY } from '../errors.ts'
import { approvalEnded } from '../events.ts'
import { approvalExecutor, type ApprovalKind } from '../ports.ts'
import { proveTotp } from '../mfa/second-factor.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import * as statements from './sql.ts'
import type { ApprovalRow } from './sql.ts'
import { withAttemptLimit } from '../mfa/attempts.ts'

/** How long a request waits before it expires. */
const EXPIRES_AFTER = 7 * DAY
/** How long a requester waits before deciding the request if there is no independent admin. */
const COOLING_OFF = DAY
/** How long two admins cannot decide for each other after one made the other an admin without a third one. */
const DEPENDENT = 7 * DAY
const NOT_INDEPENDENT =
  'you became an admin after this was requested, or you and its requester made one another an admin within seven days'

/** Makes a command wait for the approval of another admin. `payload` is all that the executor of `kind` needs. */
export async function requestApproval(
  tx: Tx,
  ctx: RequestContext,
  { kind, payload }: { kind: ApprovalKind; payload: Record<string, string> },
) {
  const row = await tx.one(
    statements.insertApproval({
      id: newId(),
      kind,
      payload,
      requestedBy: ctx.principal.accountId,
      expiresAt: after(tx.now, EXPIRES_AFTER),
      createdAt: tx.now,
    }),
  )
  await auditApproval(tx, ctx, 'approval.requested', { row })
  return approvalView(row)
}

export interface Decision {
  id: string
  event: 'approve' | 'reject'
  reason?: string
  totpCode?: string
}

/**
 * Decides a pending approval. An approved request is executed in the same transaction; if it is refused, the approval
 * stays pending. Errors: 404; 409 if it is decided or expired; 403 without step-up, for its requester and for an admin
 * who is not independent of the requester. Without another independent admin the requester may decide with a TOTP
 * code (401 for a wrong one), 24 hours after the request and after the last suspension or demotion of another admin.
 */
export async function decideApproval(services: Services, ctx: RequestContext, decision: Decision) {
  await requireIndependence(services, ctx, decision)
  return services.db.transaction(tx => decide(tx, ctx, decision))
}

async function decide(tx: Tx, ctx: RequestContext, { id, event, reason }: Decision) {
  const { accountId } = ctx.principal
  if (event === 'approve') await requireStepUp(tx, ctx, tx.clock.real())
  const row = await requireApproval(tx, statements.lockApproval, id)
  requireInTime(row, tx.now)
  const moved = await transition(tx, approvalMachine, row, {
    event,
    by: 'admin',
    actorId: accountId,
    set: { decidedBy: accountId, decidedAt: tx.now, reason: reason ?? null },
  })
  const data = event === 'approve' ? await execute(tx, row, accountId) : {}
  if (event === 'reject') await publish(tx, approvalEnded, { ...row, status: 'REJECTED' })
  const details = { reason, requestedBy: row.requestedBy, ...data }
  await auditApproval(tx, ctx, `approval.${moved.status.toLowerCase()}`, { row: moved, details })
  return approvalView(moved)
}

// Another version of the service may have stored a kind that this version does not know.
async function execute(tx: Tx, { id, kind, payload, requestedBy }: ApprovalRow, approvedBy: string) {
  if (!approvalExecutor.isKey(kind))
    throw apiError(IDENTITY.APPROVAL_NOT_EXECUTABLE, {
      hint: `This version cannot execute ${kind}: reject the approval and create a new one`,
    })
  return approvalExecutor.call(tx, kind, { approvalId: id, payload, requestedBy, approvedBy })
}

async function requireIndependence(
  services: Services,
  ctx: RequestContext,
  { id, event, totpCode }: Decision,
): Promise<void> {
  const { db, clock } = services
  const { accountId } = ctx.principal
  const row = await requireApproval(db, statements.approvalById, id)
  if (!allowedEvents(approvalMachine, row.status, ['admin']).includes(event)) return
  const independent = await db.rows(statements.independentAdmins(id, after(clock.now(), -DEPENDENT)))
  if (row.requestedBy !== accountId) {
    if (event === 'approve' && !independent.some(admin => admin.accountId === accountId))
      throw refused(NOT_INDEPENDENT)
    return
  }
  if (independent.length) throw refused('Another admin must decide your request')
  // Counted again from the removal of another admin: the requester must not remove the one who would decide.
  const { at: removedAt } = await db.one(statements.lastRemovalOfOther(accountId))
  const begun = removedAt && removedAt > row.createdAt ? removedAt : row.createdAt
  const from = after(begun, COOLING_OFF)
  if (clock.now() < from)
    throw refused(`Without another independent admin you may decide it yourself from ${from.toISOString()}`)
  if (totpCode === undefined) throw refused('Without another independent admin, send totpCode')
  await withAttemptLimit(
    services,
    ctx,
    { name: 'mfa', accountId },
    async () =>
      (await proveTotp(services, accountId, { code: totpCode, purpose: 'approval' })) ||
      apiError(IDENTITY.WRONG_SECOND_FACTOR),
  )
}

const refused = (hint: string) => apiError(IDENTITY.SECOND_ADMIN_REQUIRED, { hint })

/** Timer: expires a request that was not decided within seven days. */
export async function expireApproval(tx: Tx, id: string): Promise<void> {
  const row = await tx.one(statements.lockApproval(id))
  await expire(tx, row, 'timer')
  await publish(tx, approvalEnded, { ...row, status: 'EXPIRED' })
}

/** Ends a request because its object has ended, if it is not decided. The caller ends the object, after this. */
export async function withdrawApproval(tx: Tx, id: string): Promise<void> {
  const row = await tx.one(statements.lockApproval(id))
  if (row.status === 'PENDING') await expire(tx, row, 'requester')
}

async function expire(tx: Tx, row: ApprovalRow, by: 'timer' | 'requester'): Promise<void> {
  const moved = await transition(tx, approvalMachine, row, { event: 'expire', by })
  await auditApproval(tx, SYSTEM, 'approval.expired', { row: moved })
}

/** Approvals of all or one status, newest first. */
export async function approvalsOf(q: Queryable, status: ApprovalStatus | undefined, page: Page) {
  const rows = await q.rows(statements.approvals(status, page))
  const { counted } = await q.one(statements.countApprovals(status))
  return pageAnswer(rows.map(approvalView), counted, page)
}

async function requireApproval(
  q: Queryable,
  find: typeof statements.approvalById,
  id: string,
): Promise<ApprovalRow> {
  const row = isId(id) ? await q.maybe(find(id)) : undefined
  if (!row) throw apiError(IDENTITY.APPROVAL_NOT_FOUND)
  return row
}

// The timer runs later than the deadline.
function requireInTime(row: ApprovalRow, now: Date): void {
  if (row.status === 'PENDING' && row.expiresAt <= now) {
    throw apiError(IDENTITY.APPROVAL_EXPIRED, { hint: 'Create a new request' })
  }
}

const approvalView = (row: ApprovalRow) => ({
  id: row.id,
  kind: row.kind,
  payload: row.payload,
  status: row.status,
  requestedBy: row.requestedBy,
  decidedBy: row.decidedBy,
  decidedAt: row.decidedAt?.toISOString() ?? null,
  reason: row.reason,
  expiresAt: row.expiresAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
})

const auditApproval = (
  tx: Tx,
  author: Author,
  action: string,
  { row: { id, kind, payload, requestedBy }, details }: { row: ApprovalRow; details?: object },
) =>
  audit(tx, author, action, {
    target: ['approval', id],
    details: { kind, payload, ...details },
    about: [requestedBy],
  })

/** Erases what an account wrote in approvals, and expires its pending requests. */
export async function eraseApprovalTextsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.run(statements.eraseApprovalTexts(accountId))
  for (const { id } of await tx.rows(statements.pendingOf(accountId))) await expireApproval(tx, id)
}
