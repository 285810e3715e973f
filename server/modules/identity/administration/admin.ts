import { audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { publish } from '#platform/kernel/events'
import type { RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import type { Account, Role } from '../account/account.ts'
import * as statements from '../account/sql.ts'
import { requestApproval } from '../approvals/approval.ts'
import { invalidateCredentialCache } from '../credentials/authenticator.ts'
import { IDENTITY } from '../errors.ts'
import { accountReinstated, accountSuspended } from '../events.ts'
import { endLinks } from '../mail/link.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import type { ApprovedRequest } from '../ports.ts'

/** Kind of the approval of a new admin. */
const PROMOTION = 'account.role'

/**
 * Changes the role of an account. If another admin exists, a new admin needs the approval of one: the account stays as
 * it is. Errors: 403 without step-up, 404, 409 for the last admin.
 */
export async function setRole(
  tx: Tx,
  ctx: RequestContext,
  input: { accountId: string; role: Role },
  services: Pick<Services, 'jobs' | 'secrets'>,
) {
  // A stolen access token must not create or remove an admin.
  await requireStepUp(tx, ctx, tx.clock.real())
  const account = await lockKnownAccount(tx, input.accountId)
  const { role } = input
  if (role === account.role) return { account }
  if (role === 'USER') await requireNotLastAdmin(tx, account)
  if (role === 'ADMIN' && (await hasOtherAdmin(tx, ctx.principal.accountId))) {
    const payload = { accountId: account.id, role }
    return { account, approval: await requestApproval(tx, ctx, { kind: PROMOTION, payload }) }
  }
  const promotedBy = role === 'ADMIN' ? ctx.principal.accountId : null
  const changed = await tx.one(statements.setRole(account.id, role, { now: tx.now, promotedBy }))
  await invalidateCredentialCache(tx)
  const details = { from: account.role, to: role }
  await audit(tx, ctx, 'account.role_changed', { target: ['account', account.id], details })
  const notice = role === 'ADMIN' ? 'became an admin account' : 'is not an admin account any more'
  await notifyOwner(tx, services, account, `Your account ${notice}.`)
  return { account: changed }
}

/** Makes an account admin after another admin approved. */
export async function promoteApprovedAccount(
  tx: Tx,
  { payload, requestedBy, approvedBy }: ApprovedRequest,
  services: Pick<Services, 'jobs' | 'secrets'>,
): Promise<Record<string, string>> {
  const account = await lockKnownAccount(tx, payload.accountId ?? '')
  if (account.role !== 'ADMIN') {
    // An admin who decided their own request made the new admin without another admin.
    const promotedBy = requestedBy === approvedBy ? requestedBy : null
    await tx.run(statements.setRole(account.id, 'ADMIN', { now: tx.now, promotedBy }))
    await invalidateCredentialCache(tx)
    const details = { from: account.role, to: 'ADMIN', requestedBy }
    const author = { by: ['admin', approvedBy] } as const
    await audit(tx, author, 'account.role_changed', { target: ['account', account.id], details })
    await notifyOwner(tx, services, account, 'Your account became an admin account.')
  }
  return { accountId: account.id }
}

interface StatusChange {
  accountId: string
  reason?: string
}

/**
 * Suspends an account: within a second its tokens and keys are refused with 403 on every instance, and its emailed links
 * end. An admin is notified. Errors: 403 without step-up, 404, 409 for the last admin or in another state.
 */
export async function suspendAccount(
  tx: Tx,
  ctx: RequestContext,
  { accountId, reason }: StatusChange,
  services: Pick<Services, 'jobs' | 'secrets'>,
): Promise<Account> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const account = await lockKnownAccount(tx, accountId)
  if (account.status !== 'ACTIVE') throw stateError('suspend', account)
  await requireNotLastAdmin(tx, account)
  const changed = await tx.one(statements.setStatus(account.id, 'SUSPENDED', tx.now))
  await endLinks(tx, account.id)
  await invalidateCredentialCache(tx)
  await publish(tx, accountSuspended, { accountId: account.id })
  await audit(tx, ctx, 'account.suspended', { target: ['account', account.id], details: { reason } })
  if (account.role === 'ADMIN') await notifyOwner(tx, services, account, 'Your admin account was suspended.')
  return changed
}

/** Reinstates a suspended account. Errors: 403 without step-up, 404, 409 in another state. */
export async function reinstateAccount(
  tx: Tx,
  ctx: RequestContext,
  { accountId, reason }: StatusChange,
): Promise<Account> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const account = await lockKnownAccount(tx, accountId)
  if (account.status !== 'SUSPENDED') throw stateError('reinstate', account)
  const changed = await tx.one(statements.setStatus(account.id, 'ACTIVE', tx.now))
  await invalidateCredentialCache(tx)
  await publish(tx, accountReinstated, { accountId: account.id })
  await audit(tx, ctx, 'account.reinstated', { target: ['account', account.id], details: { reason } })
  return changed
}

const stateError = (action: string, { status }: Account) =>
  apiError({ ...COMMON.STATE_CONFLICT, message: `Cannot ${action} while ${status}` })

/** Locks an account that is not deleted; 404 otherwise. */
export async function lockKnownAccount(tx: Tx, id: string): Promise<Account> {
  const account = isId(id) ? await tx.maybe(statements.lockAccount(id)) : undefined
  if (!account || account.status === 'DELETED') throw apiError(IDENTITY.USER_NOT_FOUND)
  return account
}

// Under a lock: two admins who remove each other concurrently must not both succeed.
async function hasOtherAdmin(tx: Tx, accountId: string): Promise<boolean> {
  await tx.run(statements.lockFirstAdmin())
  return (await tx.one(statements.otherAdmins(accountId))).count > 0
}

async function requireNotLastAdmin(tx: Tx, account: Account): Promise<void> {
  if (account.role === 'ADMIN' && !(await hasOtherAdmin(tx, account.id)))
    throw apiError(IDENTITY.LAST_ADMIN, { hint: 'Make another account an admin first' })
}
