import type { Machine } from '#platform/kernel/machine'

export const AGENT_STATES = [
  'DRAFT',
  'PENDING_REVIEW',
  'ACTIVE',
  'PAUSED',
  'REJECTED',
  'SUSPENDED',
  'ARCHIVED',
] as const
export type AgentStatus = (typeof AGENT_STATES)[number]
export type AgentEvent =
  | 'submit'
  | 'publish'
  | 'approve'
  | 'send_back'
  | 'reject'
  | 'pause'
  | 'suspend'
  | 'reinstate'
  | 'archive'
/** `system` acts for an account that is being deleted. */
export type AgentTrigger = 'owner' | 'operator' | 'system'

const SUSPENDABLE = ['DRAFT', 'PENDING_REVIEW', 'ACTIVE', 'PAUSED', 'REJECTED'] as const

/** The states of a listing. No state has a deadline: an agent waits for its owner or an operator. */
export const agentMachine: Machine<AgentStatus, AgentEvent, AgentTrigger> = {
  name: 'agent',
  table: 'agents_agent',
  states: AGENT_STATES,
  terminal: ['ARCHIVED'],
  timers: [],
  edges: [
    { from: ['DRAFT'], event: 'submit', by: ['owner'], to: 'PENDING_REVIEW' },
    { from: ['DRAFT', 'PAUSED'], event: 'publish', by: ['owner'], to: 'ACTIVE' },
    { from: ['PENDING_REVIEW'], event: 'approve', by: ['operator'], to: 'ACTIVE' },
    { from: ['PENDING_REVIEW'], event: 'send_back', by: ['operator'], to: 'DRAFT' },
    { from: ['PENDING_REVIEW'], event: 'reject', by: ['operator'], to: 'REJECTED' },
    { from: ['ACTIVE'], event: 'pause', by: ['owner'], to: 'PAUSED' },
    { from: SUSPENDABLE, event: 'suspend', by: ['operator'], to: 'SUSPENDED' },
    ...SUSPENDABLE.map(
      state => ({ from: ['SUSPENDED'], event: 'reinstate', by: ['operator'], to: state }) as const,
    ),
    { from: SUSPENDABLE, event: 'archive', by: ['owner'], to: 'ARCHIVED' },
    { from: [...SUSPENDABLE, 'SUSPENDED'], event: 'archive', by: ['system'], to: 'ARCHIVED' },
  ],
}
