import type { PublicContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import { IDENTITY } from '../errors.ts'
import { useMailLink } from '../mail/mail-link.ts'
import { proveAddress } from './address-proof.ts'
import { signIn, type MfaRequired, type SignedIn } from './sign-in.ts'

/** Signs in by an emailed link, which also confirms the address. 400 for an invalid link. */
export async function consumeMagicLink(
  tx: Tx,
  ctx: PublicContext,
  token: string,
  services: Services,
): Promise<MfaRequired | SignedIn> {
  const { account } = await useAddressLink(tx, ctx, { purpose: 'magic', token }, services)
  return signIn(tx, ctx, { account, method: 'magic_link' }, services)
}

/**
 * Uses a link to the present address of an account and confirms the address, unless a second factor guards the unconfirmed
 * address (`isGuarded`). 400 for a link to an earlier address.
 */
export async function useAddressLink(
  tx: Tx,
  ctx: PublicContext,
  { purpose, token }: { purpose: 'magic' | 'reset'; token: string },
  services: Services,
): Promise<{ account: Account; isGuarded: boolean }> {
  const { account, email } = await useMailLink(tx, services, purpose, token)
  if (account.email !== email) throw apiError(IDENTITY.INVALID_LINK)
  const proved = await proveAddress(tx, ctx, { account, by: 'mail_link' }, services)
  return { account: proved ?? account, isGuarded: proved === null }
}
