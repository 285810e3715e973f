import type { Names } from '#platform/names'
import type { Actor } from '#platform/http/actor'
import type { UserType } from './account.ts'

declare module '#platform/reactions' {
  interface Facts {
    /** An account exists from now on; its wallet is made by whoever follows. */
    'account.created': {
      accountId: string
      userType: UserType
      walletType?: 'MANAGED' | 'PROVIDED'
      walletAddress?: string
      referralCode?: string
    }
    /** Its address was proved by another than its registrant: these agents' keys ended with all that one held. */
    'account.claimed': { accountId: string; agentIds: readonly string[] }
    /** Asked before a deletion: followers answer lists of names (`data`) by which texts may name the owner. */
    'account.names_asked': { accountId: string }
    /**
     * Announced before its owner is forgotten, while its records still name the account. Each module removes what the
     * owner wrote, and takes `names` out of what others wrote in dealings with the owner.
     */
    'account.deleted': { accountId: string; names: Names }
    /** A key is being made for one agent: who knows agents refuses it to whoever may not act for that one. */
    'service_account.binding': { actor: Actor; agentId: string }
    /** An organization exists from now on; its wallet is made by whoever follows. */
    'organization.created': { organizationId: string }
    /** Its OWNER wants to close it: a module that still holds something of it refuses. */
    'organization.closing': { organizationId: string }
    /** Its last member leaves it or is being deleted: what it owns must go somewhere. */
    'organization.closed': { organizationId: string }
    /**
     * Another admin approved. The subscriber of `kind` carries it out and returns `data`, or refuses: then it stays
     * pending, as it does where no subscriber returns anything.
     */
    'approval.approved': {
      approvalId: string
      kind: string
      payload: Record<string, string>
      requestedBy: string
      approvedBy: string
    }
  }
}
