import { accountById, credentials, erasure, mailLinks, requireStepUp } from '#identity'
import { accounts, openAccounts, post } from '#ledger'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import { publish } from '#platform/kernel/events'
import type { RequestContext } from '#platform/http/principal'
import { isId, newId } from '#platform/kernel/id'
import { MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { KEYS } from './errors.ts'
import type { HeldKeys } from './ring.ts'
import type { KeyFields } from './schema.ts'
import { changeSettings, DEFAULT_SETTINGS, isWider, powersOf, type KnownModels } from './settings.ts'
import * as statements from './sql.ts'
import type { KeyRow } from './sql.ts'
import { countCostOf } from './usage.ts'

/** How many routing keys that are not revoked an account may have. */
export const ROUTING_KEYS_MAX = 100
/** The list of an account: all that are not revoked, and the newest of the others. */
const LISTED_MAX = 500
const FIRST_CREDIT = 5n * MICRO

export interface Parts extends Pick<Services, 'config' | 'jobs' | 'secrets'> {
  ring: HeldKeys
  catalog: KnownModels
}

/**
 * Creates a routing key, whose text is returned only here. In sandbox mode the first one of an account comes with test
 * credit. Errors: 403 without step-up (a key outlives the session), 409 above the limit of an account.
 */
export async function createRoutingKey(
  tx: Tx,
  ctx: RequestContext,
  fields: KeyFields,
  parts: Parts,
): Promise<{ key: KeyRow; text: string }> {
  const { accountId } = ctx.principal
  await tx.run(statements.lockKeysOf(accountId))
  const status = await erasure.lockAgainstDeletion(tx, [accountId])
  if (status.get(accountId) === 'DELETED') throw apiError(COMMON.UNAUTHORIZED)
  await requireStepUp(tx, ctx, tx.clock.real())
  const { active, ever } = await tx.one(statements.countKeys(accountId))
  if (active >= ROUTING_KEYS_MAX)
    throw apiError(KEYS.TOO_MANY_ROUTING_KEYS, { hint: `Revoke one of the ${active} first` })
  const settings = changeSettings(DEFAULT_SETTINGS, fields, { now: tx.now, catalog: parts.catalog })
  const { text, hash, lastFour } = credentials.makeKey('rk')
  const key = await tx.one(statements.insertKey({ id: newId(), accountId, hash, lastFour }, settings, tx.now))
  await audit(tx, ctx, 'routing_key.issued', { target: ['routing_key', key.id], details: powersOf(settings) })
  if (ever === 0 && parts.config.sandbox) await postFirstCredit(tx, key)
  const account = await accountById(tx, accountId)
  if (account) await mailLinks.notifyOwner(tx, parts, account, 'A routing key was made for your account.')
  return { key, text }
}

async function postFirstCredit(tx: Tx, { id, accountId }: KeyRow): Promise<void> {
  const credit = accounts.testRouting(accountId)
  await openAccounts(tx, [{ account: credit, asset: 'USD' }])
  await post(tx, {
    kind: 'routing_test_credit',
    key: `routing_test_credit/${id}`,
    reference: { keyId: id },
    legs: [{ debit: accounts.testFloat, credit, amount: FIRST_CREDIT, asset: 'USD' }],
  })
}

/** The routing keys of the caller: those that are not revoked first, the newest first. */
export const ownRoutingKeys = (q: Queryable, { principal }: RequestContext): Promise<KeyRow[]> =>
  q.rows(statements.keysOf(principal.accountId, LISTED_MAX))

/**
 * Changes the given fields. Errors: 404 for an unknown key, 409 for a revoked one, 403 for one of another account and
 * without step-up if the key could do more than before.
 */
export async function updateRoutingKey(
  tx: Tx,
  ctx: RequestContext,
  { id, fields }: { id: string; fields: KeyFields },
  { catalog, ring }: Pick<Parts, 'catalog' | 'ring'>,
): Promise<KeyRow> {
  const before = await lockOwn(tx, ctx, id)
  if (before.status === 'REVOKED')
    throw apiError({ ...COMMON.STATE_CONFLICT, message: 'Cannot update while REVOKED' })
  const settings = changeSettings(before, fields, { now: tx.now, catalog })
  if (isWider(before, settings)) await requireStepUp(tx, ctx, tx.clock.real())
  const key = await tx.one(statements.updateKey(before.id, settings, tx.now))
  await countCostOf(tx, before, settings)
  await audit(tx, ctx, 'routing_key.changed', {
    target: ['routing_key', before.id],
    details: { from: powersOf(before), to: powersOf(settings) },
  })
  tx.afterCommit(() => ring.invalidate())
  return key
}

/** Revokes a key for good. A repeated call is no error. 404 for an unknown key, 403 for one of another account. */
export async function revokeRoutingKey(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  { ring }: Pick<Parts, 'ring'>,
): Promise<KeyRow> {
  const before = await lockOwn(tx, ctx, id)
  const revoked = await tx.maybe(statements.revokeKey(before.id, tx.now))
  if (!revoked) return before
  await audit(tx, ctx, 'routing_key.revoked', { target: ['routing_key', before.id] })
  tx.afterCommit(() => ring.invalidate())
  return revoked
}

async function lockOwn(tx: Tx, { principal }: RequestContext, id: string): Promise<KeyRow> {
  const found = isId(id) ? await tx.maybe(statements.lockKey(id)) : undefined
  if (!found) throw apiError(KEYS.ROUTING_KEY_NOT_FOUND)
  if (found.accountId !== principal.accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'The routing key belongs to another account' })
  return found
}

/** Subscriber: the API keys of an account were revoked. The caller makes all instances prove every key again. */
export async function revokeRoutingKeysOf(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  for (const { id } of await tx.rows(statements.revokeKeysOf(accountId, tx.now)))
    await audit(tx, { by: ['account', accountId] }, 'routing_key.revoked', { target: ['routing_key', id] })
  await publish(tx, credentials.credentialsChanged, undefined)
}

/** Revokes the routing keys of an account that is being deleted, and erases what its person wrote. */
export async function eraseRoutingKeysOf(tx: Tx, accountId: string): Promise<void> {
  await revokeRoutingKeysOf(tx, { accountId })
  for (const statement of statements.eraseKeysOf(accountId)) await tx.run(statement)
}
