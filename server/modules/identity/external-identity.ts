import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { accountByEmail, accountById, createAccount, type Account } from './account.ts'
import { IDENTITY } from './faults.ts'
import type { Origin } from './session.ts'
import { confirmEmail, emailState } from './sql/emails.ts'
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
}

/**
 * The account of an external identity: linked before, or found by a proven e-mail, or new. Only an address that both
 * sides proved links to an existing account (401 otherwise): else whoever wrote it there first would get into it, or
 * wait in it.
 */
export async function accountOfExternal(tx: Tx, identity: ExternalIdentity, origin: Origin): Promise<Account> {
  const { provider, subject } = identity
  await tx.run(statements.lockExternal(provider, subject))
  const linked = await tx.maybe(statements.accountOfExternal(provider, subject))
  const known = linked && (await accountById(tx, linked.accountId))
  if (known) return known
  const account = (await existing(tx, identity)) ?? (await created(tx, identity))
  await tx.run(statements.insertExternal({ provider, subject, accountId: account.id, real: tx.clock.real() }))
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

async function existing(tx: Tx, { email, emailVerified }: ExternalIdentity): Promise<Account | undefined> {
  const account = email ? await accountByEmail(tx, email) : undefined
  if (!account) return undefined
  const hint = 'an account with this e-mail exists, and'
  if (!emailVerified)
    throw fault(IDENTITY.INVALID_EXTERNAL_IDENTITY, { hint: `${hint} the provider has not confirmed the address` })
  const { verified } = await tx.one(emailState(account.id))
  if (!verified)
    throw fault(IDENTITY.INVALID_EXTERNAL_IDENTITY, { hint: `${hint} its address is not confirmed: do that first` })
  return account
}

// An address that nobody proved is not taken over: its owner may come yet.
async function created(tx: Tx, { email, emailVerified, name }: ExternalIdentity): Promise<Account> {
  const proven = emailVerified && email ? email : undefined
  const displayName = name?.trim().slice(0, 100) || proven?.split('@')[0] || 'User'
  const account = await createAccount(tx, { email: proven, displayName, userType: 'HUMAN' })
  return proven ? tx.one(confirmEmail(account.id, proven, { real: tx.clock.real(), now: tx.now })) : account
}
