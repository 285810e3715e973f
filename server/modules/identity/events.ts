import type { UserType } from './account.ts'

declare module '#platform/reactions' {
  interface Facts {
    /** An account exists from now on; its wallet is made by whoever follows. */
    'account.created': {
      accountId: string
      userType: UserType
      walletType?: 'MANAGED' | 'PROVIDED'
      walletAddress?: string
    }
    /** Announced before its owner is forgotten, while its records still name the account. */
    'account.deleted': { accountId: string }
    /** An organization exists from now on; its wallet is made by whoever follows. */
    'organization.created': { organizationId: string }
    /** Its last member is being deleted: what it owns must go somewhere. */
    'organization.closed': { organizationId: string }
    /** Another admin said yes; whoever follows does what `kind` and `payload` tell, or refuses and leaves it pending. */
    'approval.approved': {
      approvalId: string
      kind: string
      payload: Record<string, string>
      requestedBy: string
      approvedBy: string
    }
  }
}
