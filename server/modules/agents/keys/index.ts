export { agentKeyIssued, creatorDetached, agentKeysRevoked } from '../events.ts'
export { frozenEscrows } from '../ports.ts'
export { transferAgentToClaimer, viewClaimLink } from './claim.ts'
/** The secrets that sign what the service sends to an agent. */
export * as webhookSecrets from '../webhook-secret/index.ts'
