import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import { react } from '#platform/reactions'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import { revokeKeys, type KeyAuthor } from './key-life.ts'
import { endLinks } from './link.ts'
import { tellOwner } from './notice.ts'
import { isMfaEnabled } from './second-factor.ts'
import { endSessions, type Origin } from './session.ts'
import * as statements from './sql/emails.ts'
import { deleteMfa } from './sql/mfa.ts'

export interface AddressProof {
  by: 'mail_link' | 'identity_provider'
  /** Who is signed in where the proof was shown. */
  actor: Actor | null
  origin: Origin
}

/**
 * Somebody proved to hold the address of an account, which the caller has locked: it is confirmed, and the account as
 * it is now. Until the holder of an address is known to hold the account, anybody may have registered it: unless the registrant is signed in
 * here, whatever the registrant holds ends (docs/adr/0008). Null, and nothing changes, where a second factor guards an
 * such account: who holds that factor is its owner, the address alone opens nothing.
 */
export async function proveAddress(
  tx: Tx,
  services: Services,
  account: Account,
  proof: AddressProof,
): Promise<Account | null> {
  const { isOwned, isHeld } = await tx.one(statements.emailState(account.id))
  if (isOwned) return account
  if (await isMfaEnabled(tx, account.id)) return null
  const isRegistrant = proof.actor?.kind === 'jwt' && proof.actor.accountId === account.id
  if (isHeld && !isRegistrant) await dispossess(tx, services, account, proof)
  const times = { real: tx.clock.real(), now: tx.now }
  return tx.one(statements.confirmEmail(account.id, { email: account.email, isOwner: true, ...times }))
}

const CLAIMED =
  'You proved that this address is yours. The account of it had been made by somebody who had not: its password, ' +
  'sign-ins and keys work no more. Make new keys where you need them.'

async function dispossess(tx: Tx, services: Services, account: Account, { by, origin }: AddressProof): Promise<void> {
  const { ip, requestId } = origin
  const author = { actorId: account.id, actorKind: by, ip, requestId }
  await endAllWaysIn(tx, account.id, author)
  await audit(tx, { ...author, action: 'account.claimed_by_address', target: 'account', targetId: account.id })
  await tellOwner(tx, services, account, CLAIMED)
}

/** Ends whatever opens an account but its mail: sessions, links, keys, password, second factor, external identities. */
export async function endAllWaysIn(tx: Tx, accountId: string, author: KeyAuthor): Promise<void> {
  const agents = await tx.rows(statements.agentsWithKeys(accountId))
  await endSessions(tx, accountId, 'claimed')
  await endLinks(tx, accountId)
  await revokeKeys(tx, { accountId }, author)
  await tx.run(deleteMfa(accountId))
  for (const statement of statements.removeWaysIn(accountId, tx.now)) await tx.run(statement)
  await react(tx, 'account.claimed', { accountId, agentIds: agents.map(({ agentId }) => agentId) })
}
