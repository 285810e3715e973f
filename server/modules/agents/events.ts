import { defineEvent } from '#platform/kernel/events'
import type { Agent } from './agent.ts'

/** All keys of the agent were revoked. */
export const agentKeysRevoked = defineEvent<{ agentId: string }>('agent.keys_revoked')

/** An agent without an active key got one. */
export const agentKeyIssued = defineEvent<{ agentId: string }>('agent.key_issued')

/** An admin made a VERIFIED agent TRUSTED; `agent` is as it was before. */
export const agentTrusted = defineEvent<{ agent: Agent }>('agent.trusted')

/** Its owner archived the agent, which cannot be undone. */
export const agentArchived = defineEvent<{ agentId: string; ownerId: string }>('agent.archived')

/** The creator of a claimed agent lost its access; `ownerId` is the account that owns the agent. */
export const creatorDetached = defineEvent<{ agentId: string; ownerId: string }>('agent.creator_detached')
