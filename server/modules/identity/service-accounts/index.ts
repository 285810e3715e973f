export { agentKeyUsed } from '../events.ts'
export type { ServiceAccount } from '../credentials/key-sql.ts'
export { ServiceAccountRecord, serviceAccountRecord } from '../schema.ts'
export {
  areAgentKeysRevoked,
  issueAgentKey,
  moveAgentKeys,
  planAndRevokedAgents,
  revokeAgentKeys,
  revokeBoundKeys,
  rotatePresentedKey,
  suspendAgentKeys,
} from './agent-key.ts'
export { createServiceAccount, requireKeyAllowance } from './service-account.ts'
export { createTemporary, endTemporary, renewTemporary } from './temporary.ts'
export { lockSpendingLimit } from '../credentials/key-sql.ts'
export { withEndedCredential } from '../credentials/live.ts'
