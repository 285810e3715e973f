export { SPENDING } from './errors.ts'
export { eraseLimitsOf } from './limits.ts'
export type { SpendingAction } from './plan.ts'
export { AutonomyPolicy, Budget } from './schema.ts'
export {
  findLimits,
  recordReturn,
  recordSpending,
  requireApprovalByOwner,
  requireSpending,
  type SpendingRequest,
} from './spending.ts'
export { hasLimits, insertSpend, lockOfLimits, updateReturned } from './sql.ts'
