import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { audit } from '#platform/audit'
import type { Account } from './account.ts'
import { proveAddress } from './address-proof.ts'
import { IDENTITY } from './faults.ts'
import { inHashingSlot } from './hashing-queue.ts'
import { endLinks, linkOwner } from './link.ts'
import { useMailLink } from './mail-link.ts'
import { tellOwner } from './notice.ts'
import { passwordFits } from './password.ts'
import { renewSession, type Origin } from './session.ts'
import type { SignedIn } from './sign-in.ts'
import { passwordHolderById } from './sql/accounts.ts'
import { confirmEmail } from './sql/emails.ts'
import { withinTries } from './tries.ts'

export interface Confirmation {
  token: string
  /** Of the account: shows that the holder of the address made it. */
  password?: string
  /** False: the holder of the address did not make the account. */
  createdByMe?: boolean
  actor: Actor | null
  origin: Origin
}

/**
 * Confirms an address by the link that went there. The link alone shows who holds the address, not who made the account;
 * that takes an access token of the account or its password (401 for a wrong one). With `createdByMe` false whatever the
 * registrant holds ends, and a wish for another address is dropped. Whoever holds only the mail gets no session. The
 * signed-in registrant gets fresh tokens of the same session, which is no new sign-in.
 */
export async function verifyEmail(services: Services, input: Confirmation): Promise<SignedIn | null> {
  const { db } = services
  const knowsPassword = Boolean(input.password) && (await provePassword(services, input))
  return db.transaction(async tx => {
    const { account, email } = await useMailLink(tx, services, 'verify', input.token)
    if (input.createdByMe === false) return disown(tx, services, { account, email, origin: input.origin })
    const { actor } = input
    const sessionId = actor?.kind === 'jwt' && actor.accountId === account.id ? actor.sessionId : null
    const isOwner = knowsPassword || sessionId !== null
    const confirmed = await confirm(tx, services, { account, email, isOwner, origin: input.origin })
    const pair = sessionId && (await renewSession(tx, services, { accountId: account.id, sessionId }))
    return pair ? { account: confirmed, ...pair } : null
  })
}

async function provePassword(services: Services, { token, password = '', origin }: Confirmation): Promise<true> {
  const { db, clock } = services
  const accountId = (await linkOwner(db, 'verify', token, clock.real())) ?? ''
  const { passwordHash } = await db.one(passwordHolderById(accountId))
  const prove = async () => (await passwordFits(password, passwordHash)) || fault(IDENTITY.INVALID_CREDENTIALS)
  await inHashingSlot({ ip: origin.ip, account: accountId }, () => withinTries(services, { name: 'verify-email', accountId, origin }, prove))
  return true
}

interface Use {
  account: Account
  email: string
  origin: Origin
}

const isChangeOf = ({ account, email }: Use): boolean => account.email.toLowerCase() !== email.toLowerCase()

async function confirm(tx: Tx, services: Services, use: Use & { isOwner: boolean }): Promise<Account> {
  const { account: before, email, isOwner } = use
  const account = await tx.one(confirmEmail(before.id, { email, isOwner, real: tx.clock.real(), now: tx.now }))
  const isChange = isChangeOf(use)
  if (isChange) {
    await endLinks(tx, before.id)
    await tellOwner(tx, services, before, 'The e-mail address of your account was changed to another one.')
  }
  await note(tx, use, isChange ? 'account.email_changed' : 'account.email_verified')
  return account
}

// The account of a wish for another address belongs to somebody else: it stays as it is.
async function disown(tx: Tx, services: Services, use: Use): Promise<null> {
  const { account, origin } = use
  await note(tx, use, 'account.disowned')
  if (!isChangeOf(use)) await proveAddress(tx, services, account, { by: 'mail_link', actor: null, origin })
  return null
}

const note = (tx: Tx, { account: { id }, origin: { ip, requestId } }: Use, action: string) =>
  audit(tx, { action, actorId: id, actorKind: 'mail_link', target: 'account', targetId: id, ip, requestId })
