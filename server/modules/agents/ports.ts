import { definePort } from '#platform/kernel/ports'

/** Locks what comes before an agent in the global lock order (ADR 2), for a command that changes both. */
export const lockBeforeAgent = definePort<{ agentId: string }>('agents.lock-before-agent', 'all')

/** Throws if the agent may not be archived now. */
export const archiveGuard = definePort<{ agentId: string }>('agents.archive-guard', 'all')

export interface FrozenEscrow {
  escrowId: string
  amount: string
  counterpartyWalletId: string
  originalStatus: string
}

/** The escrows that are frozen because the keys of the agent were revoked. */
export const frozenEscrows = definePort<{ agentId: string }, FrozenEscrow[]>(
  'agents.frozen-escrows',
  'collect',
)
