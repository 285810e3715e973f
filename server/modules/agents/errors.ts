import { errorTable } from '#platform/kernel/errors'

export const AGENTS = errorTable({
  AGENT_NOT_PUBLISHED: [
    400,
    'Agent not published',
    'It takes deals only while it is ACTIVE. Its owner publishes a draft with POST /agents/{id}/publish',
  ],
  AGENT_SUSPENDED: [403, 'Agent suspended'],
  CLAIM_TOKEN_INVALID: [404, 'Invalid or already-used claim token'],
  TOO_MANY_AGENTS: [409, 'Too many agents'],
  AGENT_ALREADY_CLAIMED: [409, 'Agent already claimed'],
  CREATOR_IS_OWNER: [409, 'The owner of this agent is its creator'],
  KEYS_REVOKED: [409, 'Cannot rotate while REVOKED'],
  NO_ACTIVE_KEYS: [404, 'Agent has no active keys'],
})
