declare module '#platform/reactions' {
  interface Facts {
    /** Announced before an agent is locked whose deals change with it: followers lock these first. */
    'agent.locking': { agentId: string }
    /** A person became the agent's owner. */
    'agent.claimed': { agentId: string; accountId: string }
    /** None of the agent's keys is good any more; the reply's `frozenEscrows` goes into the answer of revoke-key. */
    'agent.keys_revoked': { agentId: string }
    /** An agent without a good key has one again. */
    'agent.key_issued': { agentId: string }
    /** Announced before the move: a follower refuses it while the agent has live business. */
    'agent.archived': { agentId: string }
  }
}

export {}
