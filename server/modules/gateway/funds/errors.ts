import { errorTable } from '#platform/kernel/errors'

export const FUNDS = errorTable({
  ROUTING_BALANCE_INSUFFICIENT: [402, 'Insufficient balance'],
  ROUTING_BUDGET_EXCEEDED: [402, 'Budget exceeded'],
})
