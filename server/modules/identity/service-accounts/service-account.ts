import { audit, type Author } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { tidyName } from '#platform/http/display-name'
import { COMMON, apiError, invalid, type ApiError } from '#platform/kernel/errors'
import { publish } from '#platform/kernel/events'
import { SCOPES, type RequestContext, type Scope } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId, newId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { invalidateCredentialCache } from '../credentials/authenticator.ts'
import { IDENTITY } from '../errors.ts'
import { accountKeyNarrowed, apiKeysRevoked } from '../events.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { agentBinding } from '../ports.ts'
import { addKey, replaceKey, revokeKeys } from '../credentials/key-lifecycle.ts'
import { requireStaff } from '../organizations/role.ts'
import { lockAccount } from '../account/sql.ts'
import * as statements from '../credentials/key-sql.ts'
import type { ServiceAccount } from '../credentials/key-sql.ts'
import { endSessionsOfServiceAccount } from '../credentials/session-sql.ts'
import { lockOwnSession, requireStepUp } from '../mfa/step-up.ts'

/** How many service accounts one account may have at a time. */
export const SERVICE_ACCOUNTS_MAX = 100

export interface ServiceAccountFields {
  name: string
  description?: string
  /** All by default. */
  scopes?: readonly Scope[]
  /** Business time; null for never. */
  expiresAt?: Date | null
  /** In micro-units; null for no limit. */
  spendingLimit?: bigint | null
}

/** What a key is bound to: one agent, one organization, or the whole account. It never changes. */
export interface Binding {
  agentId?: string
  organizationId?: string
}

export interface WithKey {
  serviceAccount: ServiceAccount
  apiKey: string
}

/** Creates a service account with its first `sk_` key, whose text is returned only here. */
export async function createServiceAccount(
  tx: Tx,
  accountId: string,
  fields: ServiceAccountFields & Binding & { renewableUntil?: Date },
  author: Author = { by: ['account', accountId] },
): Promise<WithKey> {
  requireLater(tx, fields.expiresAt)
  const id = newId()
  await tx.run(
    statements.insertServiceAccount({
      id,
      accountId,
      name: tidyName(fields.name),
      description: fields.description ?? '',
      scopes: unique(fields.scopes ?? SCOPES),
      expiresAt: fields.expiresAt ?? null,
      renewableUntil: fields.renewableUntil ?? null,
      spendingLimit: fields.spendingLimit ?? null,
      agentId: fields.agentId ?? null,
      organizationId: fields.organizationId ?? null,
      now: tx.now,
    }),
  )
  const { apiKey } = await addKey(tx, author, { accountId, serviceAccountId: id, kind: 'sk', agentId: null })
  return { serviceAccount: await tx.one(statements.serviceAccountById(id)), apiKey }
}

/**
 * Creates a service account of the caller, for the whole account, for one agent or for one organization. Errors: 400 for
 * both, 403 without step-up (a key outlives the session), 404 or 403 for an agent or organization of another account,
 * 409 above the limit of an account.
 */
export async function createOwnServiceAccount(
  tx: Tx,
  ctx: RequestContext,
  fields: ServiceAccountFields & Binding,
  services: Services,
): Promise<WithKey> {
  const { accountId } = ctx.principal
  const { agentId, organizationId } = fields
  if (agentId !== undefined && organizationId !== undefined)
    throw invalid('send agentId or organizationId, not both')
  const account = await tx.one(lockAccount(accountId))
  await requireStepUp(tx, ctx, tx.clock.real())
  await requireKeyAllowance(tx, accountId)
  if (agentId !== undefined) await agentBinding.call(tx, { ctx, agentId })
  if (organizationId !== undefined) await requireStaff(tx, ctx, organizationId)
  const created = await createServiceAccount(tx, accountId, fields, ctx)
  await notifyOwner(tx, services, account, 'An API key was made for your account.')
  return created
}

/** How many service accounts the account has and may have. */
export async function keyAllowance(
  q: Queryable,
  accountId: string,
): Promise<{ active: number; max: number }> {
  return { ...(await q.one(statements.countActiveServiceAccounts(accountId))), max: SERVICE_ACCOUNTS_MAX }
}

/** 409 if the account has as many service accounts as it may have. */
export async function requireKeyAllowance(q: Queryable, accountId: string): Promise<void> {
  const { active, max } = await keyAllowance(q, accountId)
  if (active >= max) throw apiError(IDENTITY.TOO_MANY_KEYS, { hint: `Revoke one of the ${active} first` })
}

/** The service account of the caller: 404 if it does not exist, 403 if it belongs to another account. */
async function ownServiceAccount(q: Queryable, ctx: RequestContext, id: string): Promise<ServiceAccount> {
  return requireOwn(ctx, isId(id) ? await q.maybe(statements.serviceAccountById(id)) : undefined)
}

/** The same, or the service account of an agent, which a revocation names: its keys change on /agents/{id}. */
export async function readServiceAccount(
  q: Queryable,
  ctx: RequestContext,
  id: string,
): Promise<ServiceAccount> {
  return requireOwn(ctx, isId(id) ? await q.maybe(statements.anyServiceAccountById(id)) : undefined)
}

function requireOwn({ principal }: RequestContext, found: ServiceAccount | undefined): ServiceAccount {
  if (!found) throw apiError(IDENTITY.SERVICE_ACCOUNT_NOT_FOUND)
  if (found.accountId !== principal.accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'This service account belongs to another account' })
  return found
}

/** The service accounts of the caller, newest first. */
export async function ownServiceAccounts(q: Queryable, { principal }: RequestContext, page: Page) {
  const { accountId } = principal
  const serviceAccounts = await q.rows(statements.serviceAccountsOf(accountId, page))
  const { counted } = await q.one(statements.countServiceAccounts(accountId, TOTAL_CAP + 1))
  return pageAnswer(serviceAccounts, counted, page)
}

/**
 * Changes the given fields. More scopes, a later expiry or a higher spending limit need step-up (403). With fewer scopes or
 * a lower limit the sessions that were started with its keys end.
 */
export async function updateServiceAccount(
  tx: Tx,
  ctx: RequestContext,
  { id, ...fields }: Partial<ServiceAccountFields> & { id: string },
): Promise<ServiceAccount> {
  const current = await lockUsable(tx, ctx, id, 'update')
  requireLater(tx, fields.expiresAt)
  const next = {
    name: fields.name === undefined ? current.name : tidyName(fields.name),
    description: fields.description ?? current.description,
    scopes: fields.scopes ? unique(fields.scopes) : current.scopes,
    expiresAt: fields.expiresAt === undefined ? current.expiresAt : fields.expiresAt,
    spendingLimit: fields.spendingLimit === undefined ? current.spendingLimit : fields.spendingLimit,
  }
  if (isWider(current, next)) await requireStepUp(tx, ctx, tx.clock.real())
  await tx.run(statements.updateServiceAccount(id, next, tx.now))
  const details = { from: powersOf(current), to: powersOf(next) }
  await audit(tx, ctx, 'key.changed', { target: ['service_account', id], details })
  const hasFewerScopes = current.scopes.some(scope => !next.scopes.includes(scope))
  const isNarrower = hasFewerScopes || isBeyond(current.spendingLimit, next.spendingLimit)
  if (isNarrower) await tx.run(endSessionsOfServiceAccount(id, 'key_narrowed', tx.clock.real()))
  // Its sessions end at the new date by themselves.
  if (isNarrower || isBeyond(current.expiresAt, next.expiresAt)) await publishNarrowed(tx, current)
  await invalidateCredentialCache(tx)
  return tx.one(statements.serviceAccountById(id))
}

type Powers = Pick<ServiceAccount, 'scopes' | 'expiresAt' | 'spendingLimit'>

function isWider(from: Powers, to: Powers): boolean {
  const lastsLonger = isBeyond(to.expiresAt, from.expiresAt)
  const spendsMore = isBeyond(to.spendingLimit, from.spendingLimit)
  return lastsLonger || spendsMore || to.scopes.some(scope => !from.scopes.includes(scope))
}

/** Null is no limit, beyond all others. */
const isBeyond = <Limit extends bigint | Date>(limit: Limit | null, than: Limit | null): boolean =>
  than !== null && (limit === null || limit > than)

const powersOf = ({ scopes, expiresAt, spendingLimit }: Powers) => ({
  scopes,
  expiresAt: expiresAt?.toISOString() ?? null,
  spendingLimit: spendingLimit === null ? null : formatMoney(spendingLimit),
})

/**
 * Replaces the present key, which stays valid for 24 hours. Errors: 403 without step-up, 409 if the service account is
 * revoked or expired (the new key would not work), if its keys end by themselves (temporary.ts), or if too many replaced
 * keys are still valid.
 */
export async function rotateServiceAccount(
  tx: Tx,
  ctx: RequestContext,
  id: string,
): Promise<WithKey & { oldKeyExpiresAt: Date }> {
  const { expiresAt } = await lockUsable(tx, ctx, id, 'rotate')
  await requireStepUp(tx, ctx, tx.clock.real())
  if (expiresAt && expiresAt <= tx.now) throw stateError('rotate', 'EXPIRED', 'Set a later expiresAt first')
  const replaced = await replaceKey(tx, ctx, { serviceAccountId: id })
  if (!replaced) throw apiError(IDENTITY.KEYS_OF_APPLICATION, { hint: 'Revoke it to end the access' })
  return { ...replaced, serviceAccount: await tx.one(statements.serviceAccountById(id)) }
}

/** Expires the keys now; a later PATCH of `expiresAt` makes them valid again. */
export async function expireServiceAccount(tx: Tx, ctx: RequestContext, id: string): Promise<ServiceAccount> {
  const current = await lockUsable(tx, ctx, id, 'expire')
  await tx.run(statements.updateServiceAccount(id, { ...current, expiresAt: tx.now }, tx.now))
  await tx.run(endSessionsOfServiceAccount(id, 'key_expired', tx.clock.real()))
  await publishNarrowed(tx, current)
  await audit(tx, ctx, 'key.expired', { target: ['service_account', id] })
  await invalidateCredentialCache(tx)
  return tx.one(statements.serviceAccountById(id))
}

/** Revokes all keys for good. A repeated call is no error. */
export async function revokeServiceAccount(tx: Tx, ctx: RequestContext, id: string): Promise<ServiceAccount> {
  // Locked before its keys, in the order of all commands.
  if (isId(id)) await tx.run(statements.lockServiceAccount(id))
  const found = await ownServiceAccount(tx, ctx, id)
  await revokeKeys(tx, ctx, { serviceAccountId: id })
  await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  await publishNarrowed(tx, found)
  return tx.one(statements.serviceAccountById(id))
}

/** Publishes that an unbound service account ended or may do less. A bound one gives out nothing that must end with it. */
export async function publishNarrowed(
  tx: Tx,
  { accountId, agentId, organizationId }: Pick<ServiceAccount, 'accountId' | 'agentId' | 'organizationId'>,
): Promise<void> {
  if (!agentId && !organizationId) await publish(tx, accountKeyNarrowed, { accountId })
}

/** Revokes the keys of an account that are bound to no agent and no organization. */
export async function revokeUnboundKeys(tx: Tx, author: Author, accountId: string): Promise<void> {
  for (const { id } of await tx.rows(statements.unboundServiceAccounts(accountId))) {
    await revokeKeys(tx, author, { serviceAccountId: id })
    await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  }
  await publish(tx, apiKeysRevoked, { accountId })
}

// Locks the service account: its changes run one after the other. The session first, as what revokes all keys locks them.
async function lockUsable(tx: Tx, ctx: RequestContext, id: string, action: string): Promise<ServiceAccount> {
  await lockOwnSession(tx, ctx)
  if (isId(id)) await tx.run(statements.lockServiceAccount(id))
  const found = await ownServiceAccount(tx, ctx, id)
  if (found.status === 'REVOKED') throw stateError(action, 'REVOKED')
  return found
}

const stateError = (action: string, status: string, hint?: string): ApiError =>
  apiError({ ...COMMON.STATE_CONFLICT, message: `Cannot ${action} while ${status}` }, { hint })

function requireLater(tx: Tx, expiresAt: Date | null | undefined): void {
  if (expiresAt && expiresAt <= tx.now) throw invalid('expiresAt must be in the future')
}

const unique = (scopes: readonly Scope[]): Scope[] => SCOPES.filter(scope => scopes.includes(scope))
