import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import { proveAddress } from './address-proof.ts'
import { IDENTITY } from './faults.ts'
import { useMailLink } from './mail-link.ts'
import type { Origin } from './session.ts'
import { signIn, type MfaAsked, type SignedIn } from './sign-in.ts'

/** Signs in by a link that went out by mail, which also confirms the address. 400 for a link that is no good. */
export async function consumeMagicLink(
  tx: Tx,
  services: Services,
  input: { token: string; actor: Actor | null; origin: Origin },
): Promise<MfaAsked | SignedIn> {
  const account = await useAddress(tx, services, 'magic', input)
  return signIn(tx, services, account, { method: 'magic_link', origin: input.origin })
}

/** The account behind a link to its present address, which it proves; a link to an address that it had before is no good. */
export async function useAddress(
  tx: Tx,
  services: Services,
  purpose: 'magic' | 'reset',
  { token, actor, origin }: { token: string; actor: Actor | null; origin: Origin },
): Promise<Account> {
  const { account, email } = await useMailLink(tx, services, purpose, token)
  if (account.email !== email) throw fault(IDENTITY.INVALID_LINK)
  return (await proveAddress(tx, services, account, { by: 'mail_link', actor, origin })) ?? account
}
