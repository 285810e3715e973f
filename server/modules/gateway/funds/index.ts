export { eraseFundsOf, fundsChecks, fundsMetrics, fundsRoutes } from './balance/index.ts'
export { createFunds, type InstanceFunds } from './funds.ts'
