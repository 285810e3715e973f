import { errorTable } from '#platform/kernel/errors'

export const BUDGETS = errorTable({
  ORGANIZATION_PAYMENT_TOO_LARGE: [403, 'Limit per payment of the organization exceeded'],
  ORGANIZATION_BUDGET_EXCEEDED: [403, 'Monthly budget of the organization exceeded'],
  MEMBER_BUDGET_EXCEEDED: [403, 'Monthly budget of the member exceeded'],
})
