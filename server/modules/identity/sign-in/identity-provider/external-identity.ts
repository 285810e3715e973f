import { attribute, audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { nameFrom } from '#platform/http/display-name'
import type { PublicContext } from '#platform/http/principal'
import { ApiError, apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { accountByEmail, accountById, createAccount, type Account } from '../../account/account.ts'
import { proveAddress } from '../address-proof.ts'
import { IDENTITY } from '../../errors.ts'
import { notifyOwner } from '../../mail/notify-owner.ts'
import { lockAccount } from '../../account/sql.ts'
import { confirmEmail } from '../../account/email-sql.ts'
import * as statements from '../sql.ts'

/** The identity of a person at a trusted provider. */
export interface ExternalIdentity {
  provider: string
  /** The permanent identifier of the person at the provider. */
  subject: string
  email?: string
  /** True if the provider verified the address. */
  emailVerified?: boolean
  name?: string
  /** Code of the affiliate to whom a new account is bound. */
  referralCode?: string
  /** The click on a link of an affiliate, which counts if there is no code. */
  clickId?: string
}

/**
 * Finds or creates the account of an external identity: one that is linked, one with the same verified address, or a new
 * one. The proof of the address counts as one by mail: it revokes the credentials of an unconfirmed registrant
 * (address-proof.ts). 401 if the provider did not verify the address, or if a second factor guards the unconfirmed account.
 */
export async function accountOfExternal(
  tx: Tx,
  ctx: PublicContext,
  identity: ExternalIdentity,
  services: Services,
): Promise<Account> {
  const { provider, subject } = identity
  await tx.run(statements.lockExternal(provider, subject))
  const linked = await tx.maybe(statements.accountOfExternal(provider, subject))
  const known = linked && (await accountById(tx, linked.accountId))
  if (known) return known
  const { account, isNew } = await findOrCreate(tx, ctx, identity, services)
  await tx.run(statements.insertExternal({ provider, subject, accountId: account.id, real: tx.clock.real() }))
  const notice = 'A new way to sign in, by an identity provider, was added to your account.'
  if (!isNew) await notifyOwner(tx, services, account, notice)
  const author = attribute(ctx, 'identity_provider', account.id)
  const event = { target: ['account', account.id], details: { provider } } as const
  await audit(tx, author, 'account.identity_linked', event)
  return account
}

async function findOrCreate(
  tx: Tx,
  ctx: PublicContext,
  identity: ExternalIdentity,
  services: Services,
): Promise<{ account: Account; isNew: boolean }> {
  const found = await findByVerifiedAddress(tx, ctx, identity, services)
  if (found) return { account: found, isNew: false }
  try {
    return { account: await createFromIdentity(tx, identity), isNew: true }
  } catch (error) {
    // A concurrent request created it, perhaps of the same person with another provider.
    const isTaken = error instanceof ApiError && error.row === IDENTITY.EMAIL_TAKEN
    const account = isTaken ? await findByVerifiedAddress(tx, ctx, identity, services) : undefined
    if (!account) throw error
    return { account, isNew: false }
  }
}

async function findByVerifiedAddress(
  tx: Tx,
  ctx: PublicContext,
  { email, emailVerified }: ExternalIdentity,
  services: Services,
): Promise<Account | undefined> {
  const found = email ? await accountByEmail(tx, email) : undefined
  if (!found) return undefined
  const hint = 'An account with this email address exists, and'
  if (!emailVerified)
    throw apiError(IDENTITY.INVALID_EXTERNAL_IDENTITY, {
      hint: `${hint} the provider has not confirmed the address`,
    })
  const account = await tx.maybe(lockAccount(found.id))
  if (account?.email !== found.email) return undefined
  const proved = await proveAddress(tx, ctx, { account, by: 'identity_provider' }, services)
  if (!proved)
    throw apiError(IDENTITY.INVALID_EXTERNAL_IDENTITY, {
      hint: `${hint} it has a second factor: sign in to it and confirm its address first`,
    })
  return proved
}

// An unverified address is not stored: its owner may register later.
async function createFromIdentity(
  tx: Tx,
  { email, emailVerified, name, referralCode, clickId }: ExternalIdentity,
): Promise<Account> {
  const proven = emailVerified && email ? email : undefined
  const displayName = nameFrom(name) ?? nameFrom(proven?.split('@')[0]) ?? 'User'
  const referral = { referralCode, clickId }
  const account = await createAccount(tx, { email: proven, displayName, userType: 'HUMAN', ...referral })
  return proven
    ? tx.one(confirmEmail(account.id, { email: proven, isOwner: true, real: tx.clock.real(), now: tx.now }))
    : account
}
