import { defineEvent } from '#platform/kernel/events'
import type { UserType } from './account/account.ts'

/** An account was created. */
export const accountCreated = defineEvent<{
  accountId: string
  userType: UserType
  walletType?: 'MANAGED' | 'PROVIDED'
  walletAddress?: string
  referralCode?: string
  /** Of the cookie that a link of an affiliate sets. */
  clickId?: string
}>('account.created')

/** Somebody else than its registrant proved the address of the account: the keys of these agents were revoked. */
export const accountClaimed = defineEvent<{ accountId: string; agentIds: readonly string[] }>(
  'account.claimed',
)

/** An admin suspended the account: none of its credentials is accepted. */
export const accountSuspended = defineEvent<{ accountId: string }>('account.suspended')

/** An admin ended the suspension of the account. */
export const accountReinstated = defineEvent<{ accountId: string }>('account.reinstated')

/** An organization was created. */
export const organizationCreated = defineEvent<{ organizationId: string }>('organization.created')

/** An agent used a key of its own, or one that is bound to it; published at most once a minute for each key. */
export const agentKeyUsed = defineEvent<{ agentId: string; real: Date }>('agent_key.used')

/** The owner of an account revoked its API keys, all that are bound to no agent and no organization. */
export const apiKeysRevoked = defineEvent<{ accountId: string }>('api_keys.revoked')

/** A service account that is bound to no agent and no organization ended, or may do less than before. */
export const accountKeyNarrowed = defineEvent<{ accountId: string }>('account_key.narrowed')

/** A credential of the account changed: what was given out under the old one, and was not used yet, ends with its links. */
export const linksEnded = defineEvent<{ accountId: string }>('links.ended')

/** What a credential proves was changed: a session ended, a key was revoked, an account got another role. */
export const credentialsChanged = defineEvent<void>('credentials.changed')

export interface EndedApproval {
  kind: string
  payload: Record<string, string>
  status: 'REJECTED' | 'EXPIRED'
}

/** A request for an approval ended without being executed: an admin rejected it, or nobody decided it in time. */
export const approvalEnded = defineEvent<EndedApproval>('approval.ended')
