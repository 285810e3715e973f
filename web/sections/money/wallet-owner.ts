import { useOrganizations } from '../../api/organizations.ts'
import type { Wallet } from '../../api/schema.d.ts'

interface WalletOwner {
  /** Of the organization whose wallet it is. */
  name?: string
  /** Whether the person may move the money: a member of an organization only reads. */
  maySpend: boolean
}

/** To whom a wallet belongs, as far as it concerns the person who looks at it. */
export function useWalletOwner(wallet: Pick<Wallet, 'ownerType' | 'ownerId'> | undefined): WalletOwner {
  const isShared = wallet?.ownerType === 'ORGANIZATION'
  const { data } = useOrganizations(isShared)
  if (!isShared) return { maySpend: true }
  const organization = data?.items.find(({ id }) => id === wallet.ownerId)
  return organization
    ? { name: organization.name, maySpend: organization.role !== 'MEMBER' }
    : { maySpend: false }
}
