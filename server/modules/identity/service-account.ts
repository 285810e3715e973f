import { audit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { tidyName } from '#platform/display-name'
import { COMMON, fault, invalid, type Fault } from '#platform/fault'
import { SCOPES, type Actor, type Scope } from '#platform/http/actor'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId, newId } from '#platform/id'
import { react } from '#platform/reactions'
import { forgetCredentials } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { addKey, replaceKey, revokeKeys, type KeyAuthor } from './key-life.ts'
import { demandStaff } from './organization-role.ts'
import { lockAccount } from './sql/accounts.ts'
import * as statements from './sql/keys.ts'
import type { ServiceAccount } from './sql/keys.ts'
import { endSessionsOfServiceAccount } from './sql/sessions.ts'
import { demandStepUp } from './step-up.ts'

/** How many service accounts one account may have at a time. */
export const SERVICE_ACCOUNTS_MAX = 100
/** How many replaced keys of one may be in their 24 hours at a time. */

export interface ServiceAccountFields {
  name: string
  description?: string
  /** All by default. */
  scopes?: readonly Scope[]
  /** Business time; null for never. */
  expiresAt?: Date | null
}

/** What a key is good for: one agent, one organization, or all of the account; for its whole life. */
export interface Binding {
  agentId?: string
  organizationId?: string
}

export interface WithKey {
  serviceAccount: ServiceAccount
  apiKey: string
}

/** A service account with its first `sk_` key, whose text is shown this once. */
export async function createServiceAccount(
  tx: Tx,
  accountId: string,
  fields: ServiceAccountFields & Binding,
  author: KeyAuthor = { actorId: accountId, actorKind: 'account' },
): Promise<WithKey> {
  assertLater(tx, fields.expiresAt)
  const id = newId()
  await tx.run(
    statements.insertServiceAccount({
      id,
      accountId,
      name: tidyName(fields.name),
      description: fields.description ?? '',
      scopes: unique(fields.scopes ?? SCOPES),
      expiresAt: fields.expiresAt ?? null,
      agentId: fields.agentId ?? null,
      organizationId: fields.organizationId ?? null,
      now: tx.now,
    }),
  )
  const { apiKey } = await addKey(tx, { accountId, serviceAccountId: id, kind: 'sk', agentId: null }, author)
  return { serviceAccount: await tx.one(statements.serviceAccountById(id)), apiKey }
}

/**
 * One more of the caller's own; 403 without a fresh proof, for a key outlives the session; 409 beyond the most that an account may have. For an agent that the caller acts for, or
 * an organization that the caller runs: unknown 404, another's 403, both at once 400.
 */
export async function createOwnServiceAccount(
  tx: Tx,
  actor: Actor,
  fields: ServiceAccountFields & Binding,
  author: KeyAuthor,
): Promise<WithKey> {
  const { agentId, organizationId } = fields
  if (agentId !== undefined && organizationId !== undefined) throw invalid('give agentId or organizationId, not both')
  await tx.run(lockAccount(actor.accountId))
  await demandStepUp(tx, actor, tx.clock.real())
  const { active, max } = await keyAllowance(tx, actor.accountId)
  if (active >= max) throw fault(IDENTITY.TOO_MANY_KEYS, { hint: `Revoke one of the ${active} first` })
  if (agentId !== undefined) await react(tx, 'service_account.binding', { actor, agentId })
  if (organizationId !== undefined) await demandStaff(tx, actor, organizationId)
  return createServiceAccount(tx, actor.accountId, fields, author)
}

/** How many service accounts the account has and may have. */
export async function keyAllowance(q: Queryable, accountId: string): Promise<{ active: number; max: number }> {
  return { ...(await q.one(statements.countActiveServiceAccounts(accountId))), max: SERVICE_ACCOUNTS_MAX }
}

/** The caller's own service account; unknown 404, another's 403. */
export async function ownServiceAccount(q: Queryable, actor: Actor, id: string): Promise<ServiceAccount> {
  return requireOwn(actor, isId(id) ? await q.maybe(statements.serviceAccountById(id)) : undefined)
}

/** The same, or the one behind the keys of an agent, which a revocation names: its keys change on /agents/{id}. */
export async function readServiceAccount(q: Queryable, actor: Actor, id: string): Promise<ServiceAccount> {
  return requireOwn(actor, isId(id) ? await q.maybe(statements.anyServiceAccountById(id)) : undefined)
}

function requireOwn(actor: Actor, found: ServiceAccount | undefined): ServiceAccount {
  if (!found) throw fault(IDENTITY.SERVICE_ACCOUNT_NOT_FOUND)
  if (found.accountId !== actor.accountId) throw fault(COMMON.FORBIDDEN, { hint: 'This service account belongs to another account' })
  return found
}

export async function ownServiceAccounts(
  q: Queryable,
  actor: Actor,
  page: Page,
): Promise<{ serviceAccounts: ServiceAccount[]; counted: number }> {
  const serviceAccounts = await q.rows(statements.serviceAccountsOf(actor.accountId, page))
  return { serviceAccounts, ...(await q.one(statements.countServiceAccounts(actor.accountId, TOTAL_CAP + 1))) }
}

/**
 * Changes the given fields; more scopes or a later expiry are 403 without a fresh proof. What the key may do no more,
 * sign-ins that were begun with it may not either.
 */
export async function updateServiceAccount(
  tx: Tx,
  actor: Actor,
  { id, ...fields }: Partial<ServiceAccountFields> & { id: string },
  author: KeyAuthor,
): Promise<ServiceAccount> {
  const current = await usable(tx, actor, id, 'update')
  assertLater(tx, fields.expiresAt)
  const scopes = fields.scopes && unique(fields.scopes)
  const next = {
    name: fields.name === undefined ? current.name : tidyName(fields.name),
    description: fields.description ?? current.description,
    scopes: scopes ?? current.scopes,
    expiresAt: fields.expiresAt === undefined ? current.expiresAt : fields.expiresAt,
  }
  if (isWider(current, next)) await demandStepUp(tx, actor, tx.clock.real())
  await tx.run(statements.updateServiceAccount(id, next, tx.now))
  // A wider or longer key is more power: the log tells from what to what.
  const details = { from: powersOf(current), to: powersOf(next) }
  await audit(tx, { action: 'key.changed', ...author, target: 'service_account', targetId: id, details })
  if (scopes && current.scopes.some(scope => !scopes.includes(scope)))
    await tx.run(endSessionsOfServiceAccount(id, 'key_narrowed', tx.clock.real()))
  forgetCredentials(tx)
  return tx.one(statements.serviceAccountById(id))
}

type Powers = Pick<ServiceAccount, 'scopes' | 'expiresAt'>

function isWider(from: Powers, to: Powers): boolean {
  const lastsLonger = from.expiresAt !== null && (to.expiresAt === null || to.expiresAt > from.expiresAt)
  return lastsLonger || to.scopes.some(scope => !from.scopes.includes(scope))
}

const powersOf = ({ scopes, expiresAt }: Powers) => ({
  scopes,
  expiresAt: expiresAt?.toISOString() ?? null,
})

/**
 * Replaces the present key, which stays valid for 24 hours. 409 if the service account is revoked or expired (the new key
 * would not work), or if too many replaced keys are still valid. 403 without a fresh proof.
 */
export async function rotateServiceAccount(
  tx: Tx,
  actor: Actor,
  id: string,
  author: KeyAuthor,
): Promise<WithKey & { oldKeyExpiresAt: Date }> {
  const { expiresAt } = await usable(tx, actor, id, 'rotate')
  await demandStepUp(tx, actor, tx.clock.real())
  if (expiresAt && expiresAt <= tx.now) throw stateFault('rotate', 'EXPIRED', 'Set a later expiresAt first')
  const replaced = await replaceKey(tx, { serviceAccountId: id }, author)
  if (!replaced) throw stateFault('rotate', 'REVOKED')
  return { ...replaced, serviceAccount: await tx.one(statements.serviceAccountById(id)) }
}

/** Its keys stop working now; a later PATCH of `expiresAt` makes them work again. */
export async function expireServiceAccount(
  tx: Tx,
  actor: Actor,
  id: string,
  author: KeyAuthor,
): Promise<ServiceAccount> {
  const current = await usable(tx, actor, id, 'expire')
  await tx.run(statements.updateServiceAccount(id, { ...current, expiresAt: tx.now }, tx.now))
  await tx.run(endSessionsOfServiceAccount(id, 'key_expired', tx.clock.real()))
  await audit(tx, { action: 'key.expired', ...author, target: 'service_account', targetId: id })
  forgetCredentials(tx)
  return tx.one(statements.serviceAccountById(id))
}

/** Ends all its keys for good; again is no error. */
export async function revokeServiceAccount(
  tx: Tx,
  actor: Actor,
  id: string,
  author: KeyAuthor,
): Promise<ServiceAccount> {
  // Before its keys, as everybody locks them.
  if (isId(id)) await tx.run(statements.lockServiceAccount(id))
  await ownServiceAccount(tx, actor, id)
  await revokeKeys(tx, { serviceAccountId: id }, author)
  await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  return tx.one(statements.serviceAccountById(id))
}

/** Ends the account's `sk_` keys that are bound to no agent and no organization; offered with a new password. */
export async function revokeUnboundKeys(tx: Tx, accountId: string, author: KeyAuthor): Promise<void> {
  for (const { id } of await tx.rows(statements.unboundServiceAccounts(accountId))) {
    await revokeKeys(tx, { serviceAccountId: id }, author)
    await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  }
}

// Locks it, so that two changes of one come one after the other.
async function usable(tx: Tx, actor: Actor, id: string, action: string): Promise<ServiceAccount> {
  if (isId(id)) await tx.run(statements.lockServiceAccount(id))
  const found = await ownServiceAccount(tx, actor, id)
  if (found.status === 'REVOKED') throw stateFault(action, 'REVOKED')
  return found
}

const stateFault = (action: string, status: string, hint?: string): Fault =>
  fault({ ...COMMON.STATE_CONFLICT, message: `Cannot ${action} while ${status}` }, { hint })

function assertLater(tx: Tx, expiresAt: Date | null | undefined): void {
  if (expiresAt && expiresAt <= tx.now) throw invalid('expiresAt must be in the future')
}

const unique = (scopes: readonly Scope[]): Scope[] => SCOPES.filter(scope => scopes.includes(scope))
