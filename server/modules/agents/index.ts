import './events.ts'

export {
  agentById,
  agentBySlug,
  agentsByIds,
  assertTradable,
  canOperate,
  createAgent,
  demandAgent,
  isOwner,
  lockAgent,
  setTrust,
} from './agent.ts'
export type { Agent, NewAgent, TrustTier } from './agent.ts'
export { onAccountClaimed } from './claimed-account.ts'
export { viewClaimLink, type ClaimView } from './claim.ts'
export { forgetAgentsOf, listingNamesOf } from './forget.ts'
export { archiveAgentsOf, demandBindable, reviewAgent, visibleAgent } from './listing.ts'
export { agentsModule } from './module.ts'
export { agentRecord } from './record.ts'
export { AgentPath, AgentRecord, TrustTierName } from './schema.ts'
