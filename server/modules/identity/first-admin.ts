import { audit } from '#platform/audit'
import { HOUR } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Services } from '#platform/services'
import { createAccount, type Account } from './account.ts'
import { endAllWaysIn } from './address-proof.ts'
import { IDENTITY } from './faults.ts'
import { endLinks, linkOwner, makeLink, useLink } from './link.ts'
import { sendVerification } from './mail-request.ts'
import { hashPassword } from './password.ts'
import { startSession, type Origin, type TokenPair } from './session.ts'
import * as statements from './sql/accounts.ts'
import { confirmEmail } from './sql/emails.ts'

const LINK_LIFE = HOUR

/** On start: makes the admin of ADMIN_EMAIL and ADMIN_PASSWORD when there is no admin yet. */
export async function ensureFirstAdmin({ config, db }: Services): Promise<void> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config
  if (!email || !password || (await db.maybe(statements.anyAdmin()))) return
  const passwordHash = await hashPassword(password, { account: email })
  await db.transaction(async tx => {
    await tx.run(statements.lockFirstAdmin())
    if (await tx.maybe(statements.anyAdmin())) return
    // An account that somebody registered under this address before proves nothing: it gets the operator's
    // password, and whatever its maker holds ends.
    const known = await tx.maybe(statements.accountByEmail(email))
    if (known) await takeOver(tx, known.id, passwordHash)
    const { id } = known ?? (await createAdmin(tx, { email, passwordHash, displayName: 'Admin' }))
    // The operator vouches for it: no later proof of the address takes the account from the operator.
    await tx.run(confirmEmail(id, { email, isOwner: true, real: tx.clock.real(), now: tx.now }))
    await audit(tx, { action: 'admin.created', actorId: null, actorKind: 'system', target: 'account', targetId: id })
  })
}

async function takeOver(tx: Tx, accountId: string, passwordHash: string): Promise<void> {
  await tx.run(statements.lockAccount(accountId))
  await endAllWaysIn(tx, accountId, { actorId: accountId, actorKind: 'system' })
  await tx.run(statements.makeAdmin(accountId, passwordHash, tx.now))
}

const createAdmin = (tx: Tx, input: { email: string; passwordHash: string; displayName: string }): Promise<Account> =>
  createAccount(tx, { ...input, userType: 'HUMAN', role: 'ADMIN' })

/**
 * A link that makes its first user the admin, or null when there is one. Each call ends the links before it; they
 * live an hour.
 */
export async function firstAdminLink({ db, publicUrl }: Services): Promise<string | null> {
  if (await db.maybe(statements.anyAdmin())) return null
  const token = await db.transaction(async tx => {
    await endLinks(tx, null, 'setup')
    return makeLink(tx, { purpose: 'setup', lifeMs: LINK_LIFE })
  })
  return `${publicUrl}/setup/${token}`
}

/** Uses the link up: its caller becomes the admin and is signed in. 400 for a bad link, also once there is an admin. */
export async function setUpFirstAdmin(
  services: Services,
  input: { token: string; email: string; password: string; displayName: string },
  origin: Origin,
): Promise<{ account: Account } & TokenPair> {
  const { db, clock } = services
  // Before hashing: who makes tokens up costs nothing.
  await linkOwner(db, 'setup', input.token, clock.real())
  const passwordHash = await hashPassword(input.password, { ip: origin.ip, account: input.email })
  return db.transaction(tx => becomeFirstAdmin(tx, services, { ...input, passwordHash }, origin))
}

async function becomeFirstAdmin(
  tx: Tx,
  services: Services,
  input: { token: string; email: string; passwordHash: string; displayName: string },
  origin: Origin,
): Promise<{ account: Account } & TokenPair> {
  await tx.run(statements.lockFirstAdmin())
  await useLink(tx, 'setup', input.token)
  if (await tx.maybe(statements.anyAdmin())) throw fault(IDENTITY.INVALID_LINK)
  const { email, passwordHash, displayName } = input
  const account = await createAdmin(tx, { email, passwordHash, displayName })
  await sendVerification(tx, services, account, origin.ip)
  await audit(tx, {
    action: 'admin.created',
    actorId: account.id,
    actorKind: 'setup_link',
    target: 'account',
    targetId: account.id,
    ip: origin.ip,
    requestId: origin.requestId,
  })
  return { account, ...(await startSession(tx, services, account, { method: 'setup_link', origin })) }
}
