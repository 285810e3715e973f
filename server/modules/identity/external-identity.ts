import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { nameFrom } from '#platform/display-name'
import { Fault, fault } from '#platform/fault'
import type { Services } from '#platform/services'
import { accountByEmail, accountById, createAccount, type Account } from './account.ts'
import { proveAddress } from './address-proof.ts'
import { IDENTITY } from './faults.ts'
import { tellOwner } from './notice.ts'
import type { Origin } from './session.ts'
import { lockAccount } from './sql/accounts.ts'
import { confirmEmail } from './sql/emails.ts'
import * as statements from './sql/external.ts'

/** Who somebody is elsewhere, as a provider says that we trust. */
export interface ExternalIdentity {
  provider: string
  /** The provider's own, lasting name for the person. */
  subject: string
  email?: string
  /** Whether the provider itself proved the address. */
  emailVerified?: boolean
  name?: string
  /** Code of the affiliate to whom a new account is bound. */
  referralCode?: string
}

/**
 * The account of an external identity: linked before, or found by an e-mail that the provider proved, or new. That proof
 * counts as one of ours: an account whose address nobody had confirmed is cleared of whatever its registrant holds
 * (address-proof.ts), so that nobody waits in it. 401 where the provider did not prove the address, or a second factor
 * guards an account that never did.
 */
export async function accountOfExternal(
  tx: Tx,
  services: Services,
  identity: ExternalIdentity,
  origin: Origin,
): Promise<Account> {
  const { provider, subject } = identity
  await tx.run(statements.lockExternal(provider, subject))
  const linked = await tx.maybe(statements.accountOfExternal(provider, subject))
  const known = linked && (await accountById(tx, linked.accountId))
  if (known) return known
  const { account, isNew } = await foundOrMade(tx, services, identity, origin)
  await tx.run(statements.insertExternal({ provider, subject, accountId: account.id, real: tx.clock.real() }))
  if (!isNew) await tellOwner(tx, services, account, 'A new way to sign in, by an identity provider, was added to your account.')
  await audit(tx, {
    action: 'account.identity_linked',
    actorId: account.id,
    actorKind: 'identity_provider',
    target: 'account',
    targetId: account.id,
    details: { provider },
    ip: origin.ip,
    requestId: origin.requestId,
  })
  return account
}

async function foundOrMade(
  tx: Tx,
  services: Services,
  identity: ExternalIdentity,
  origin: Origin,
): Promise<{ account: Account; isNew: boolean }> {
  const found = await existing(tx, services, identity, origin)
  if (found) return { account: found, isNew: false }
  try {
    return { account: await created(tx, identity), isNew: true }
  } catch (error) {
    // Somebody made it since we looked, perhaps the same person by another provider.
    const isTaken = error instanceof Fault && error.row === IDENTITY.EMAIL_TAKEN
    const account = isTaken ? await existing(tx, services, identity, origin) : undefined
    if (!account) throw error
    return { account, isNew: false }
  }
}

async function existing(
  tx: Tx,
  services: Services,
  { email, emailVerified }: ExternalIdentity,
  origin: Origin,
): Promise<Account | undefined> {
  const found = email ? await accountByEmail(tx, email) : undefined
  if (!found) return undefined
  const hint = 'An account with this email address exists, and'
  if (!emailVerified)
    throw fault(IDENTITY.INVALID_EXTERNAL_IDENTITY, { hint: `${hint} the provider has not confirmed the address` })
  const account = await tx.maybe(lockAccount(found.id))
  if (account?.email !== found.email) return undefined
  const proved = await proveAddress(tx, services, account, { by: 'identity_provider', actor: null, origin })
  if (!proved)
    throw fault(IDENTITY.INVALID_EXTERNAL_IDENTITY, {
      hint: `${hint} it has a second factor: sign in to it and confirm its address first`,
    })
  return proved
}

// An address that nobody proved is not taken over: its owner may come yet.
async function created(tx: Tx, { email, emailVerified, name, referralCode }: ExternalIdentity): Promise<Account> {
  const proven = emailVerified && email ? email : undefined
  const displayName = nameFrom(name) ?? nameFrom(proven?.split('@')[0]) ?? 'User'
  const account = await createAccount(tx, { email: proven, displayName, userType: 'HUMAN', referralCode })
  return proven ? tx.one(confirmEmail(account.id, { email: proven, isOwner: true, real: tx.clock.real(), now: tx.now })) : account
}
