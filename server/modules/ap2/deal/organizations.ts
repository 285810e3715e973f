import { organizations } from '#identity'
import type { Wallet } from '#wallets'
import type { Queryable } from '#platform/kernel/db'

/** The organization whose wallet it is, if it is one's. */
export const organizationOf = ({ ownerType, ownerId }: Wallet): string | null =>
  ownerType === 'ORGANIZATION' ? ownerId : null

/** The person behind a wallet, for what counts people: of an organization its first OWNER. */
export const personBehind = async (q: Queryable, wallet: Wallet): Promise<string> =>
  organizationOf(wallet) ? organizations.firstOwnerOf(q, wallet.ownerId) : wallet.accountId

/** Whether one person stands behind both wallets: as their account, or among those who run the organization. */
export async function isSelfDeal(q: Queryable, source: Wallet, destination: Wallet): Promise<boolean> {
  const [payers, payees] = [await peopleBehind(q, source), await peopleBehind(q, destination)]
  return [...payers].some(person => payees.has(person))
}

async function peopleBehind(q: Queryable, wallet: Wallet): Promise<ReadonlySet<string>> {
  const organization = organizationOf(wallet)
  if (!organization) return new Set([wallet.accountId])
  return (await organizations.staffOf(q, [organization])).get(organization) ?? new Set()
}
