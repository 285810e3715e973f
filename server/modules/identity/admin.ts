import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { isId } from '#platform/id'
import type { Services } from '#platform/services'
import type { Account, Role } from './account.ts'
import { requestApproval } from './approval.ts'
import { forgetCredentials } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { endLinks } from './link.ts'
import { tellOwner } from './notice.ts'
import type { Origin } from './session.ts'
import { demandStepUp } from './step-up.ts'
import * as statements from './sql/accounts.ts'

/** What an admin does to an account, why and from where. */
export interface AdminAct {
  accountId: string
  reason?: string
  origin: Origin
}

/** Kind of the approval of a new admin. */
const PROMOTION = 'account.role'

type Named = Pick<Services, 'jobs' | 'secrets'>

/**
 * Makes an account admin, or a plain user again; 403 without a fresh proof; the last admin stays one (409). Where another
 * admin exists, a new admin waits for that one's approval and the account stays as it is.
 */
export async function setRole(tx: Tx, services: Named, actor: Actor, act: AdminAct & { role: Role }) {
  // Or a token of fifteen minutes makes an admin for good, or takes the role from those who would notice.
  await demandStepUp(tx, actor, tx.clock.real())
  const account = await lockKnown(tx, act.accountId)
  if (act.role === account.role) return { account }
  if (act.role === 'USER') await assertNotLastAdmin(tx, account)
  if (act.role === 'ADMIN') {
    await tx.run(statements.lockFirstAdmin())
    const { count } = await tx.one(statements.otherAdmins(actor.accountId))
    const payload = { accountId: account.id, role: act.role }
    if (count > 0) return { account, approval: await requestApproval(tx, actor, { kind: PROMOTION, payload, about: [account.id] }) }
  }
  return { account: await changeRole(tx, services, actor, { ...act, account, promotedBy: actor.accountId }) }
}

/** Makes an account admin after another admin approved. Subscribes to `approval.approved`. */
export async function promoteApproved(
  tx: Tx,
  { kind, payload, requestedBy, approvedBy }: { kind: string; payload: Record<string, string>; requestedBy: string; approvedBy: string },
) {
  if (kind !== PROMOTION) return
  const account = await lockKnown(tx, payload.accountId ?? '')
  if (account.role !== 'ADMIN') {
    // Who decided alone, without another admin, made the new admin alone.
    const promotedBy = requestedBy === approvedBy ? requestedBy : null
    await tx.run(statements.setRole(account.id, 'ADMIN', { now: tx.now, promotedBy }))
    forgetCredentials(tx)
    const details = { from: account.role, to: 'ADMIN', requestedBy }
    await audit(tx, { action: 'account.role_changed', actorId: approvedBy, actorKind: 'admin', target: 'account', targetId: account.id, details })
  }
  return { data: { accountId: account.id } }
}

async function changeRole(
  tx: Tx,
  services: Named,
  actor: Actor,
  act: AdminAct & { role: Role; account: Account; promotedBy: string },
): Promise<Account> {
  const { account, role } = act
  const promotedBy = role === 'ADMIN' ? act.promotedBy : null
  const changed = await tx.one(statements.setRole(account.id, role, { now: tx.now, promotedBy }))
  await note(tx, actor, act, { action: 'account.role_changed', details: { from: account.role, to: role } })
  const what = role === 'ADMIN' ? 'Your account became an admin account.' : 'Your account is not an admin account any more.'
  await tellOwner(tx, services, account, what)
  return changed
}

/** Shuts an account out: within a second its tokens and keys are 403 on every instance; links that went out end. 403 without a fresh proof. */
export async function suspendAccount(tx: Tx, actor: Actor, act: AdminAct): Promise<Account> {
  await demandStepUp(tx, actor, tx.clock.real())
  const account = await lockKnown(tx, act.accountId)
  if (account.status !== 'ACTIVE') throw stateFault('suspend', account)
  await assertNotLastAdmin(tx, account)
  const changed = await tx.one(statements.setStatus(account.id, 'SUSPENDED', tx.now))
  await endLinks(tx, account.id)
  await note(tx, actor, act, { action: 'account.suspended', details: { reason: act.reason } })
  return changed
}

/** Gives a suspended account its rights back. 403 without a fresh proof. */
export async function reinstateAccount(tx: Tx, actor: Actor, act: AdminAct): Promise<Account> {
  await demandStepUp(tx, actor, tx.clock.real())
  const account = await lockKnown(tx, act.accountId)
  if (account.status !== 'SUSPENDED') throw stateFault('reinstate', account)
  const changed = await tx.one(statements.setStatus(account.id, 'ACTIVE', tx.now))
  await note(tx, actor, act, { action: 'account.reinstated', details: { reason: act.reason } })
  return changed
}

const stateFault = (action: string, { status }: Account) =>
  fault({ ...COMMON.STATE_CONFLICT, message: `Cannot ${action} while ${status}` })

async function lockKnown(tx: Tx, id: string): Promise<Account> {
  const account = isId(id) ? await tx.maybe(statements.lockAccount(id)) : undefined
  if (!account || account.status === 'DELETED') throw fault(IDENTITY.USER_NOT_FOUND)
  return account
}

// Admins are counted one act at a time, or two could take the role from each other.
async function assertNotLastAdmin(tx: Tx, account: Account): Promise<void> {
  if (account.role !== 'ADMIN') return
  await tx.run(statements.lockFirstAdmin())
  const { count } = await tx.one(statements.otherAdmins(account.id))
  if (count === 0) throw fault(IDENTITY.LAST_ADMIN, { hint: 'Make another account an admin first' })
}

async function note(
  tx: Tx,
  actor: Actor,
  { accountId, origin }: AdminAct,
  event: { action: string; details: Record<string, unknown> },
): Promise<void> {
  forgetCredentials(tx)
  await audit(tx, {
    ...event,
    actorId: actor.accountId,
    actorKind: actor.kind,
    target: 'account',
    targetId: accountId,
    ip: origin.ip,
    requestId: origin.requestId,
  })
}
