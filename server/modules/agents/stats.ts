import type { Queryable, Tx } from '#platform/kernel/db'
import type { TrustTier } from './agent.ts'
import * as statements from './sql.ts'

// What modules above write into the record of an agent, and read of several at once.

/** Those of the agents that the public lists show. */
export const listedAmong = (
  q: Queryable,
  ids: readonly string[],
): Promise<{ id: string; slug: string; name: string }[]> => q.rows(statements.listedAmong(ids))

/** For trust alone: what the deals say of an agent, written with the commit. `score` 0-100. */
export const writeTrust = (
  tx: Tx,
  agentId: string,
  trust: { tier?: TrustTier; score?: number; completions?: number },
): void => tx.write(statements.setTrust(agentId, trust))

/** For ratings alone: the mean of the ratings by buyers, 1 to 5. */
export const writeRating = (tx: Tx, agentId: string, mean: number | null): Promise<number> =>
  tx.run(statements.setRating(agentId, mean))

/** For ratings alone: the same for several agents, which the caller has locked. */
export const writeRatings = (
  tx: Tx,
  means: readonly { agentId: string; mean: number | null }[],
): Promise<number> => tx.run(statements.setRatings(means))

/** Locks several agents until the end of the transaction. */
export const lockAgents = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  await tx.run(statements.lockAgents(ids))
}

/** For runs alone: counts a run that succeeded. Locks the agent, which comes before ledger accounts. */
export const addExecution = (tx: Tx, agentId: string): Promise<number> =>
  tx.run(statements.addExecution(agentId))

export { agentArchived, agentTrusted } from './events.ts'
export { untradableCode } from './agent.ts'
export { noteSeenAgent, presenceOf } from './presence/presence.ts'
export { Presence as PresenceRecord, TrustTierName } from './schema.ts'
