export {
  agentById,
  agentBySlug,
  requireTradable,
  canOperate,
  createAgent,
  requireAgent,
  isOwner,
  lockAgentIfAny,
} from './agent.ts'
export { agentSummary, ownersOfAgents } from './sql.ts'
export type { Agent, AgentSummary } from './agent.ts'
export * as agentPorts from './ports.ts'
export * as agentKeys from './keys/index.ts'
export * as agentErasure from './erase.ts'
export * as agentStats from './stats.ts'
export { requireOpenTo, visibleAgent } from './listing/listing.ts'
export { agentRecord } from './record.ts'
export { AgentRecord } from './schema.ts'
