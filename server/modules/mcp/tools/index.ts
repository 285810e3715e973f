import { agentTools } from './agents.ts'
import { deliveryTools } from './delivery.ts'
import { disputeTools } from './dispute.ts'
import { moneyTools } from './money.ts'
import { negotiationTools } from './negotiation.ts'
import { promptTools } from './prompt.ts'
import type { Tool } from './tool.ts'

export const tools: readonly Tool[] = [
  ...agentTools,
  ...negotiationTools,
  ...moneyTools,
  ...deliveryTools,
  ...disputeTools,
  ...promptTools,
]
