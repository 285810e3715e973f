import { errorTable } from '#platform/kernel/errors'

export const SPENDING = errorTable({
  BUDGET_EXCEEDED: [403, 'Budget exceeded'],
  TRANSACTION_LIMIT_EXCEEDED: [403, 'Limit per transaction exceeded'],
  DEAL_LIMIT_EXCEEDED: [403, 'Limit per deal exceeded'],
  DAILY_LIMIT_EXCEEDED: [403, 'Daily limit exceeded'],
  COUNTERPARTY_BLOCKED: [403, 'Counterparty not allowed'],
  COUNTERPARTY_TIER_TOO_LOW: [403, 'Trust tier of the counterparty too low'],
  CATEGORY_NOT_ALLOWED: [403, 'Category not allowed'],
  KEY_LIMIT_EXCEEDED: [403, 'Spending limit of the key exceeded'],
  APPROVAL_REQUIRED: [403, 'Approval required'],
})
