import { audit } from '#platform/audit'
import { after, DAY } from '#platform/clock'
import type { Queryable, Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { pageAnswer, type Page } from '#platform/http/schema'
import { isId, newId } from '#platform/id'
import { allowedEvents, transition } from '#platform/machine'
import { cleanRows, type Names } from '#platform/names'
import { react } from '#platform/reactions'
import type { Services } from '#platform/services'
import { approvalMachine, type ApprovalStatus } from './approval-machine.ts'
import { IDENTITY } from './faults.ts'
import { proveTotp } from './second-factor.ts'
import type { Origin } from './session.ts'
import { demandStepUp } from './step-up.ts'
import * as statements from './sql/approvals.ts'
import type { ApprovalRow } from './sql/approvals.ts'
import { withinTries } from './tries.ts'

/** How long a request waits before it expires. */
const WAITS = 7 * DAY
/** How long an admin without another independent one waits before deciding an own request. */
const COOLING_OFF = DAY
/** How long two admins do not decide for each other after one made the other an admin alone. */
const DEPENDENT = 7 * DAY
const NOT_INDEPENDENT =
  'you became an admin after this was requested, or you and its requester made one another an admin within seven days'

/**
 * Lets an act wait for another admin. `kind` says which follower of `approval.approved` does it, `payload` is all that
 * it needs, `about` the accounts that it may tell of.
 */
export async function requestApproval(
  tx: Tx,
  actor: Actor,
  { kind, payload, about }: { kind: string; payload: Record<string, string>; about: readonly string[] },
) {
  const row = await tx.one(
    statements.insertApproval({
      id: newId(),
      kind,
      payload,
      about: [...about],
      requested_by: actor.accountId,
      expires_at: after(tx.now, WAITS),
      created_at: tx.now,
    }),
  )
  await note(tx, row, 'approval.requested', { actorId: actor.accountId, actorKind: actor.kind })
  return approvalView(row)
}

export interface Decision {
  id: string
  event: 'approve' | 'reject'
  reason?: string
  totpCode?: string
  origin: Origin
}

/**
 * Decides a pending approval and, when it is approved, does what it was for: both or neither. Faults: 404, 409 when it
 * was decided or expired, 403 for its requester and for an admin who is not independent of the requester (who, without
 * another independent admin, may after 24 hours with a TOTP code: 401
 * where it is wrong) and for an approval without a fresh proof, and what the act itself refuses, such as 400 `Insufficient balance`; then it stays pending.
 */
export async function decideApproval(services: Services, actor: Actor, decision: Decision) {
  await demandSecondPerson(services, actor, decision)
  return services.db.transaction(tx => decide(tx, actor, decision))
}

async function decide(tx: Tx, actor: Actor, { id, event, reason, origin }: Decision) {
  if (event === 'approve') await demandStepUp(tx, actor, tx.clock.real())
  const row = await demandApproval(tx, statements.lockApproval, id)
  assertInTime(row, tx.now)
  const moved = await transition(tx, approvalMachine, row, {
    event,
    by: 'admin',
    actorId: actor.accountId,
    set: { decided_by: actor.accountId, decided_at: tx.now, reason: reason ?? null },
  })
  const data = event === 'approve' ? await carryOut(tx, row, actor) : {}
  await note(tx, moved, `approval.${moved.status.toLowerCase()}`, {
    actorId: actor.accountId,
    actorKind: actor.kind,
    details: { reason, requestedBy: row.requested_by, ...data },
    ip: origin.ip,
    requestId: origin.requestId,
  })
  return approvalView(moved)
}

// A kind that nothing carries out stays pending: an approval without an effect must not look done.
async function carryOut(tx: Tx, { id, kind, payload, requested_by: requestedBy }: ApprovalRow, actor: Actor) {
  const fact = { approvalId: id, kind, payload, requestedBy, approvedBy: actor.accountId }
  const { data } = await react(tx, 'approval.approved', fact)
  if (Object.keys(data).length === 0)
    throw fault(IDENTITY.APPROVAL_NOT_EXECUTABLE, { hint: `This version cannot execute ${kind}: reject the approval and create a new one` })
  return data
}

async function demandSecondPerson(services: Services, actor: Actor, { id, event, totpCode, origin }: Decision) {
  const { db, clock } = services
  const row = await demandApproval(db, statements.approvalById, id)
  if (!allowedEvents(approvalMachine, row.status, ['admin']).includes(event)) return
  const independent = await db.rows(statements.independentAdmins(id, after(clock.now(), -DEPENDENT)))
  if (row.requested_by !== actor.accountId) {
    if (event === 'approve' && !independent.some(({ accountId }) => accountId === actor.accountId)) throw refused(NOT_INDEPENDENT)
    return
  }
  if (independent.length) throw refused('Another admin must decide your request')
  const from = after(row.created_at, COOLING_OFF)
  if (clock.now() < from) throw refused(`Without another independent admin you may decide it yourself from ${from.toISOString()}`)
  if (totpCode === undefined) throw refused('Without another independent admin, send totpCode')
  await withinTries(
    services,
    { name: 'mfa', accountId: actor.accountId, origin },
    async () =>
      (await proveTotp(services, actor.accountId, { code: totpCode, purpose: 'approval' })) ||
      fault(IDENTITY.WRONG_SECOND_FACTOR),
  )
}

const refused = (hint: string) => fault(IDENTITY.SECOND_ADMIN_REQUIRED, { hint })

/** Timer: nobody decided in seven days. */
export async function expireApproval(tx: Tx, id: string): Promise<void> {
  const row = await tx.one(statements.lockApproval(id))
  const moved = await transition(tx, approvalMachine, row, { event: 'expire', by: 'timer' })
  await note(tx, moved, 'approval.expired', { actorId: null, actorKind: 'system' })
}

/** A page of what waits or waited for another admin, newest first. */
export async function approvalsOf(q: Queryable, status: ApprovalStatus | undefined, page: Page) {
  const rows = await q.rows(statements.approvals(status, page))
  const { counted } = await q.one(statements.countApprovals(status))
  return pageAnswer(rows.map(approvalView), counted, page)
}

async function demandApproval(q: Queryable, find: typeof statements.approvalById, id: string): Promise<ApprovalRow> {
  const row = isId(id) ? await q.maybe(find(id)) : undefined
  if (!row) throw fault(IDENTITY.APPROVAL_NOT_FOUND)
  return row
}

// The timer may be a moment late; the deadline is not.
function assertInTime(row: ApprovalRow, now: Date): void {
  if (row.status === 'PENDING' && row.expires_at <= now) {
    throw fault(IDENTITY.APPROVAL_EXPIRED, { hint: 'Create a new request' })
  }
}

const approvalView = (row: ApprovalRow) => ({
  id: row.id,
  kind: row.kind,
  payload: row.payload,
  status: row.status,
  requestedBy: row.requested_by,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at?.toISOString() ?? null,
  reason: row.reason,
  expiresAt: row.expires_at.toISOString(),
  createdAt: row.created_at.toISOString(),
})

interface Author {
  actorId: string | null
  actorKind: string
  details?: Record<string, unknown>
  ip?: string | null
  requestId?: string | null
}

async function note(tx: Tx, { id, kind, payload, about, requested_by: requestedBy }: ApprovalRow, action: string, author: Author): Promise<void> {
  await audit(tx, {
    ...author,
    action,
    target: 'approval',
    targetId: id,
    details: { kind, payload, ...author.details },
    about: [requestedBy, ...about],
  })
}

/** With its asker a request ends, and what the account wrote is forgotten; others' words lose its names. */
export async function forgetApprovals(tx: Tx, accountId: string, names: Names): Promise<void> {
  await tx.run(statements.forgetApprovalTexts(accountId))
  for (const { id } of await tx.rows(statements.pendingOf(accountId))) await expireApproval(tx, id)
  await cleanRows(tx, names, {
    table: 'identity_approval',
    text: ['reason'],
    json: ['payload'],
    where: statements.approvalsAbout(accountId),
  })
}
