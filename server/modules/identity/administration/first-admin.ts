import { attribute, audit, SYSTEM } from '#platform/kernel/audit'
import { HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { PublicContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { createAccount, type Account } from '../account/account.ts'
import { revokeAllCredentials } from '../sign-in/address-proof.ts'
import { IDENTITY } from '../errors.ts'
import { endLinks, linkOwner, makeLink, useLink } from '../mail/link.ts'
import { sendVerification } from '../mail/mail-request.ts'
import { hashPassword } from '../credentials/password.ts'
import { startSession, type TokenPair } from '../credentials/session.ts'
import * as statements from '../account/sql.ts'
import { confirmEmail } from '../account/email-sql.ts'

const LINK_LIFE = HOUR

/** Runs at the start: creates the admin of ADMIN_EMAIL and ADMIN_PASSWORD if there is no admin yet. */
export async function ensureFirstAdmin({ config, db }: Services): Promise<void> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config
  if (!email || !password || (await db.maybe(statements.anyAdmin()))) return
  const passwordHash = await hashPassword(password, { account: email })
  await db.transaction(async tx => {
    await tx.run(statements.lockFirstAdmin())
    if (await tx.maybe(statements.anyAdmin())) return
    // Anybody may have registered this address before: the account gets the password of the operator, and the credentials
    // of its registrant are revoked.
    const known = await tx.maybe(statements.accountByEmail(email))
    if (known) await takeOver(tx, known.id, passwordHash)
    const { id } = known ?? (await createAdmin(tx, { email, passwordHash, displayName: 'Admin' }))
    // The operator confirms the address, so that a later proof of it does not revoke the credentials of the operator.
    await tx.run(confirmEmail(id, { email, isOwner: true, real: tx.clock.real(), now: tx.now }))
    await audit(tx, SYSTEM, 'admin.created', { target: ['account', id] })
  })
}

async function takeOver(tx: Tx, accountId: string, passwordHash: string): Promise<void> {
  await tx.run(statements.lockAccount(accountId))
  await revokeAllCredentials(tx, { by: ['system', accountId] }, accountId)
  await tx.run(statements.makeAdmin(accountId, passwordHash, tx.now))
}

const createAdmin = (
  tx: Tx,
  input: { email: string; passwordHash: string; displayName: string },
): Promise<Account> => createAccount(tx, { ...input, userType: 'HUMAN', role: 'ADMIN' })

/**
 * A link with which its first user becomes the admin; null if there is an admin. Each call ends earlier links, and a link
 * is valid for an hour.
 */
export async function firstAdminLink({ db, publicUrl }: Services): Promise<string | null> {
  if (await db.maybe(statements.anyAdmin())) return null
  const token = await db.transaction(async tx => {
    await endLinks(tx, null, 'setup')
    return makeLink(tx, { purpose: 'setup', lifeMs: LINK_LIFE })
  })
  return `${publicUrl}/setup/${token}`
}

interface FirstAdmin {
  token: string
  email: string
  displayName: string
}

/** Uses the link: its caller becomes the admin and is signed in. 400 for an invalid link or if there is an admin. */
export async function setUpFirstAdmin(
  services: Services,
  ctx: PublicContext,
  { password, ...input }: FirstAdmin & { password: string },
): Promise<{ account: Account } & TokenPair> {
  const { db, clock } = services
  // Before hashing, which would let invalid tokens use up CPU time.
  await linkOwner(db, 'setup', input.token, clock.real())
  const passwordHash = await hashPassword(password, { ip: ctx.ip, account: input.email })
  return db.transaction(tx => becomeFirstAdmin(tx, ctx, { ...input, passwordHash }, services))
}

async function becomeFirstAdmin(
  tx: Tx,
  ctx: PublicContext,
  { token, ...input }: FirstAdmin & { passwordHash: string },
  services: Services,
): Promise<{ account: Account } & TokenPair> {
  await tx.run(statements.lockFirstAdmin())
  await useLink(tx, 'setup', token)
  if (await tx.maybe(statements.anyAdmin())) throw apiError(IDENTITY.INVALID_LINK)
  const account = await createAdmin(tx, input)
  await sendVerification(tx, services, account, ctx.ip)
  const author = attribute(ctx, 'setup_link', account.id)
  await audit(tx, author, 'admin.created', { target: ['account', account.id] })
  return {
    account,
    ...(await startSession(tx, ctx, { accountId: account.id, method: 'setup_link' }, services)),
  }
}
