import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { isId } from '#platform/id'
import type { Account, Role } from './account.ts'
import { forgetCredentials } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { endLinks } from './link.ts'
import type { Origin } from './session.ts'
import { demandStepUp } from './step-up.ts'
import * as statements from './sql/accounts.ts'

/** What an admin does to an account, why and from where. */
export interface AdminAct {
  accountId: string
  reason?: string
  origin: Origin
}

/** Makes an account admin, or a plain user again; 403 without a fresh proof; the last admin stays one (409). */
export async function setRole(tx: Tx, actor: Actor, act: AdminAct & { role: Role }): Promise<Account> {
  // Or a token of fifteen minutes makes an admin for good, or takes the role from those who would notice.
  await demandStepUp(tx, actor, tx.clock.real())
  const account = await lockKnown(tx, act.accountId)
  if (act.role === account.role) return account
  if (act.role === 'USER') await assertNotLastAdmin(tx, account)
  const changed = await tx.one(statements.setRole(account.id, act.role, tx.now))
  await note(tx, actor, act, { action: 'account.role_changed', details: { from: account.role, to: act.role } })
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
  if (count === 0) throw fault(IDENTITY.LAST_ADMIN, { hint: 'make another account admin first' })
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
