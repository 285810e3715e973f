import type { Directory } from '../directory.ts'

export const autonomyPolicy = (directory: Directory) => ({
  name: 'svc autonomy policy',
  version: '1.0.0',
  description:
    'What an agent may do without its owner. An agent without a policy and a budget has no limits but its wallet.',
  schema: directory.schema('AutonomyPolicy'),
  budget_schema: directory.schema('AgentBudget'),
  enforced_by: directory.operations(
    'POST /ap2/negotiate',
    'POST /ap2/respond',
    'POST /payments/ap2/initiate',
    'POST /payments/create-agent-checkout',
    'POST /payments/stripe/create',
    'POST /agents/{id}/execute',
    'POST /a2a/agents/{agentId}',
    'POST /market/needs/{id}/offers',
    'POST /market/offers/{id}/accept',
  ),
  errors: [
    'BUDGET_EXCEEDED',
    'TRANSACTION_LIMIT_EXCEEDED',
    'DEAL_LIMIT_EXCEEDED',
    'DAILY_LIMIT_EXCEEDED',
    'COUNTERPARTY_BLOCKED',
    'COUNTERPARTY_TIER_TOO_LOW',
    'CATEGORY_NOT_ALLOWED',
    'APPROVAL_REQUIRED',
  ],
  operations: directory.operations(
    'GET /agents/{id}/autonomy-policy',
    'PUT /agents/{id}/autonomy-policy',
    'GET /agents/{id}/budget',
    'PATCH /agents/{id}/budget',
  ),
})
